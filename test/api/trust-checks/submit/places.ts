import { nameContext } from '../../../../activities/identity/names.ts';
import type { Db } from '../../../../db/client.ts';
import { accountOwner, type Sealer } from '../../../../db/sealing/sealed.ts';

type Row = Readonly<Record<string, unknown>>;
interface SealedColumn {
  readonly by: 'link_session_id' | 'link_uuid';
  readonly context: (row: Row) => string;
  readonly owner?: string;
}

const by = 'link_session_id' as const;
const ofRequester = 'words of the requester about its own case, which redaction leaves';
/** Every sealed column: how to decrypt it, or why it does not belong to a session. */
export const sealedColumns: Readonly<Record<string, SealedColumn | string>> = {
  'affidavits.content_sealed': {
    by,
    context: ({ affidavit_id }) => `affidavits|content|${String(affidavit_id)}`,
  },
  'calendar_answers.answer_sealed': 'of a calendar, which belongs to no session',
  'calendar_connections.address_sealed': 'of a calendar, which belongs to no session',
  'calendar_connections.refresh_token_sealed': 'of a calendar, which belongs to no session',
  'calendar_flows.secrets_sealed': 'of a calendar, which belongs to no session',
  'devices.evidence_sealed': 'a device is its owner’s and serves other sessions',
  'devices.recall_sealed': 'a device is its owner’s and serves other sessions',
  'devices.receipt_sealed': 'a device is its owner’s and serves other sessions',
  'devices.tokens_sealed': 'a device is its owner’s; each goes with its call',
  'events.reference_sealed': ofRequester,
  'evidence_images.image_sealed': {
    by,
    context: ({ submission_id, sha256 }) =>
      `evidence_images|${String(submission_id)}|${String(sha256)}`,
  },
  'idempotency_keys.response_sealed': {
    by,
    owner: 'idempotency',
    context: ({ id }) => `idempotency_keys|response|${Buffer.from(id as Buffer).toString('hex')}`,
  },
  'invite_tokens.jwt_sealed': 'opens with its token alone, and lives five minutes',
  'links.matching_sealed': {
    by: 'link_uuid',
    context: ({ link_uuid }) => `links|matching|${String(link_uuid)}`,
  },
  'links.metadata_sealed': ofRequester,
  'links.reference_sealed': ofRequester,
  'links.title_sealed': ofRequester,
  'links.recipient_sealed': {
    by: 'link_uuid',
    context: ({ link_uuid }) => `links|recipient|${String(link_uuid)}`,
  },
  'links.transaction_data_sealed': 'data of the requester, which redaction leaves',
  'sessions.device_label_sealed': 'of a sign-in, which belongs to no session of a link',
  'email_requests.address_sealed': 'an address somebody signs in by, gone after a day',
  'invited_addresses.address_sealed': 'of somebody who is invited to an account',
  'join_sessions.display_name_sealed': {
    by,
    context: ({ join_session_id: id }) => nameContext({ join_session_id: String(id) }),
  },
  'meeting_participants.display_name_sealed': {
    by,
    context: ({ participant_id: id }) => nameContext({ participant_id: String(id) }),
  },
  'member_mails.address_sealed': 'of somebody who is invited to an account',
  'meetings.host_name_sealed': {
    by: 'link_uuid',
    context: ({ meeting_key: key }) => nameContext({ meeting_key: String(key), as: 'host' }),
  },
  'meetings.join_url_sealed': 'where people come in; of no person',
  'meetings.user_name_sealed': {
    by: 'link_uuid',
    context: ({ meeting_key: key }) => nameContext({ meeting_key: String(key), as: 'user' }),
  },
  'login_emails.email_sealed': 'a user’s own address',
  'phone_codes.number_sealed': {
    by,
    context: ({ link_session_id, series }) =>
      `phone_codes|number|${String(link_session_id)}|${String(series)}`,
  },
  'platform_flows.secrets_sealed': 'of an organization, which belongs to no session',
  'proof_submissions.claims_sealed': {
    by,
    context: ({ submission_id }) => `proof_submissions|claims|${String(submission_id)}`,
  },
  'proof_submissions.evidence_sealed': {
    by,
    context: ({ submission_id }) => `proof_submissions|evidence|${String(submission_id)}`,
  },
  'proof_submissions.input_sealed': {
    by,
    context: ({ submission_id }) => `proof_submissions|input|${String(submission_id)}`,
  },
  'reviews.note_sealed': {
    by,
    context: ({ review_id }) => `reviews|note|${String(review_id)}`,
  },
  'sso_providers.client_secret_sealed': 'a secret of the account',
  'tickets.report_sealed': {
    by: 'link_uuid',
    context: ({ ticket_id }) => `tickets|report|${String(ticket_id)}`,
  },
  'trust_checks.cancel_reason_sealed': {
    by,
    context: ({ link_session_id }) => `trust_checks|cancel_reason|${String(link_session_id)}`,
  },
  'trust_checks.claims_sealed': {
    by,
    context: ({ link_session_id }) => `trust_checks|claims|${String(link_session_id)}`,
  },
  'trust_checks.matching_sealed': {
    by,
    context: ({ link_uuid }) => `links|matching|${String(link_uuid)}`,
  },
  'trust_checks.reference_sealed': ofRequester,
  'trust_checks.title_sealed': ofRequester,
  'webhook_inbox.body_sealed': 'goes as soon as it is taken',
  'webhook_endpoints.previous_secret_sealed': 'a secret of the account',
  'webhook_endpoints.secret_sealed': 'a secret of the account',
};

export async function columnsLike(db: Db, pattern: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT c.table_name || '.' || c.column_name AS name
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND c.column_name LIKE $1
     ORDER BY 1`,
    [pattern],
  );
  return rows.map(({ name }) => name);
}

export interface About {
  readonly id: string;
  readonly link: string;
  readonly accountId: number;
  /** A transaction id older than the texts. Rows before it are not searched. */
  readonly since: string;
}

export async function currentTransaction(db: Db): Promise<string> {
  const text = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS id';
  const { rows } = await db.query<{ id: string }>(text);
  return rows[0]?.id ?? '';
}

/**
 * Returns the tables and sealed columns that contain one of the texts, as `place: text`. Searches
 * every table, and decrypts what is sealed for the session and its link.
 */
export async function placesOf(
  { db, sealer }: { readonly db: Db; readonly sealer: Sealer },
  texts: readonly string[],
  about: About,
): Promise<string[]> {
  const found = new Set<string>();
  const tables = new Set((await columnsLike(db, '%')).map((name) => name.split('.')[0] ?? ''));
  const hexes = texts.map((text) => Buffer.from(text).toString('hex'));
  const any = [...texts, ...hexes].map((text) => text.replaceAll(/\W/g, '\\$&')).join('|');
  for (const table of tables) {
    // Casts each row to text once, and compares text by text only if any of them occurs in it.
    const { rows } = await db.query<{ text: string }>(
      `SELECT DISTINCT text
       FROM (SELECT whole FROM (SELECT t::text AS whole FROM "${table}" t
                                WHERE t.xmin::text::bigint >= $4 OFFSET 0) as_text
             WHERE whole ~ $3 OFFSET 0) hits,
         unnest($1::text[], $2::text[]) AS looked_for (text, hex)
       WHERE strpos(whole, text) > 0 OR strpos(whole, hex) > 0`,
      [texts, hexes, any, about.since],
    );
    for (const { text } of rows) found.add(`${table}: ${text}`);
  }
  for (const [name, sealed] of Object.entries(sealedColumns)) {
    if (typeof sealed === 'string') continue;
    const opened = await openAll({ db, sealer }, name, sealed, about);
    for (const text of texts) if (opened.includes(text)) found.add(`${name}: ${text}`);
  }
  return [...found].toSorted();
}

async function openAll(
  { db, sealer }: { readonly db: Db; readonly sealer: Sealer },
  name: string,
  sealed: SealedColumn,
  about: About,
): Promise<string> {
  const [table = '', column = ''] = name.split('.');
  const { rows } = await db.query<Row>(
    `SELECT * FROM "${table}" WHERE ${column} IS NOT NULL AND ${sealed.by} = $1`,
    [sealed.by === 'link_uuid' ? about.link : about.id],
  );
  const owner = sealed.owner ?? accountOwner(about.accountId);
  const opened = rows.map(async (row) =>
    sealer.open(owner, sealed.context(row), row[column] as Buffer),
  );
  return Buffer.concat(await Promise.all(opened)).toString();
}
