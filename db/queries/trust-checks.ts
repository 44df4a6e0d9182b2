import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { trustChecks } from '../schema/trust-checks.ts';
import { and, eq } from '../schema/drizzle.ts';

export type TrustCheckRow = typeof trustChecks.$inferSelect;

const { link_session_id, link_uuid, status } = trustChecks;

const byId = prepare('trust_checks.by_id', { link_session_id }, ({ equals }) =>
  build.select().from(trustChecks).where(equals.link_session_id),
);
const lockById = prepare('trust_checks.lock', { link_session_id }, ({ equals }) =>
  build.select().from(trustChecks).where(equals.link_session_id).for('update'),
);

/** One session by its id, or null. */
export async function findTrustCheck(on: Queryable, id: string): Promise<TrustCheckRow | null> {
  return firstOf(await byId(on, { link_session_id: id }));
}

const redaction = statement<{ is_redacted: boolean }>(
  'trust_checks.is_redacted',
  'SELECT redacted_at IS NOT NULL AS is_redacted FROM trust_checks WHERE link_session_id = $1',
);

/** Whether a session was redacted, as things stand now. */
export async function isRedacted(on: Queryable, id: string): Promise<boolean> {
  return firstOf(await redaction(on, [id]))?.is_redacted ?? true;
}

/** One session, locked until the transaction ends. */
export async function lockTrustCheck(tx: Tx, id: string): Promise<TrustCheckRow | null> {
  return firstOf(await lockById(tx, { link_session_id: id }));
}

const passedOf = prepare('trust_checks.passed_of', { link_uuid }, ({ equals }) =>
  build
    .select({ link_session_id })
    .from(trustChecks)
    .where(and(equals.link_uuid, eq(status, 'passed')))
    .limit(1),
);

/** Whether somebody has passed a check of this link. */
export async function hasPassedCheck(on: Queryable, linkUuid: string): Promise<boolean> {
  return (await passedOf(on, { link_uuid: linkUuid })).length > 0;
}

const insert = statement<TrustCheckRow>(
  'trust_checks.insert',
  `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, client, locale,
     return_to, status, proofs, matching, livemode, created_at, begun_from, asked, matching_sealed,
     title_sealed, reference_sealed, reference_blind, words_blind, awaits_start, sandbox_subject,
     poly_user_id, resume_hash)
   SELECT $1::text, l.link_uuid, $3::text, $4::int, $5::text, $6::text, $7::text,
     'created', $8::jsonb, '{}', $9::boolean, $10::timestamptz, $11::text,
     jsonb_build_object('policy', l.policy, 'requested_claims', l.requested_claims,
       'max_attempts', l.max_attempts, 'link_type', l.link_type,
       'redirect_url', l.redirect_url, 'app_name', p.name, 'account_name', a.name),
     l.matching_sealed, l.title_sealed, l.reference_sealed, l.reference_blind, l.words_blind, true,
     $12::text, $13::text, $14::bytea
   FROM links l JOIN apps p USING (app_id) JOIN accounts a ON a.account_id = l.account_id
   WHERE l.link_uuid = $2
   ON CONFLICT (link_session_id) DO NOTHING RETURNING *`,
);

export interface NewTrustCheck {
  readonly link_session_id: string;
  readonly link_uuid: string;
  readonly app_id: string;
  readonly account_id: number;
  readonly client: 'mobile' | 'web';
  readonly locale: string | null;
  readonly return_to: string | null;
  readonly proofs: TrustCheckRow['proofs'];
  readonly livemode: boolean;
  readonly created_at: Date;
  readonly begun_from: string;
  readonly sandbox_subject: TrustCheckRow['sandbox_subject'];
  /** Who begins it, where they have shown it. */
  readonly poly_user_id: string | null;
  readonly resume_hash: Buffer | null;
}

/**
 * Inserts a session in state `created`, with what its link asks now, whose workflow is to be
 * started; null when one with this id is there already.
 */
export async function insertTrustCheck(tx: Tx, row: NewTrustCheck): Promise<TrustCheckRow | null> {
  return firstOf(
    await insert(tx, [
      row.link_session_id,
      row.link_uuid,
      row.app_id,
      row.account_id,
      row.client,
      row.locale,
      row.return_to,
      JSON.stringify(row.proofs),
      row.livemode,
      row.created_at,
      row.begun_from,
      row.sandbox_subject,
      row.poly_user_id,
      row.resume_hash,
    ]),
  );
}

/** How many open sessions a link has. */
export interface OpenCounts {
  readonly open: number;
  /** Those begun from one network. */
  readonly of_network: number;
  /** Those that hold one of the uses of the link. */
  readonly held: number;
}

const countOpenOf = statement<OpenCounts>(
  'trust_checks.count_open',
  `SELECT count(*)::int AS open,
     count(*) FILTER (WHERE begun_from = $2)::int AS of_network,
     count(*) FILTER (WHERE holds_use OR status <> 'created' OR created_at > $3)::int AS held
   FROM trust_checks
   WHERE link_uuid = $1 AND status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned',
     'canceled')`,
);
const holdUseOf = prepare('trust_checks.hold_use', { link_session_id }, ({ equals }) =>
  build.update(trustChecks).set({ holds_use: true }).where(equals.link_session_id),
);

/**
 * Counts the open sessions of a link.
 * @param network the one to count apart, if any
 * @param heldSince from when on a session nobody has opened holds its use
 */
export async function countOpen(
  tx: Tx,
  linkUuid: string,
  network: string | null,
  heldSince: Date,
): Promise<OpenCounts> {
  const counts = firstOf(await countOpenOf(tx, [linkUuid, network, heldSince]));
  return counts ?? { open: 0, of_network: 0, held: 0 };
}

/** Holds a use of its link for a session until the session ends. */
export async function holdUse(tx: Tx, id: string): Promise<void> {
  await holdUseOf(tx, { link_session_id: id });
}

const runningOf = statement<{ link_session_id: string }>(
  'trust_checks.running_of_device',
  `SELECT link_session_id FROM trust_checks
   WHERE device_id = $1
     AND status IN ('paired', 'collecting', 'processing', 'requires_retry', 'in_review')`,
);

/** The sessions a device runs that are not decided yet. */
export async function listRunningOf(on: Queryable, deviceId: string): Promise<string[]> {
  return (await runningOf(on, [deviceId])).map((row) => row.link_session_id);
}

const newestOfDevice = statement<TrustCheckRow>(
  'trust_checks.newest_of_device',
  `SELECT * FROM trust_checks WHERE link_uuid = $1 AND device_id = $2
   ORDER BY created_at DESC LIMIT 1`,
);

/** The newest session a device has run on a link, or null. */
export async function findNewestOfDevice(
  on: Queryable,
  linkUuid: string,
  deviceId: string,
): Promise<TrustCheckRow | null> {
  return firstOf(await newestOfDevice(on, [linkUuid, deviceId]));
}

const revokeRow = prepare('trust_checks.revoke', { link_session_id }, ({ equals }) =>
  build
    .update(trustChecks)
    .set({ outcome_validity: 'revoked' })
    .where(equals.link_session_id)
    .returning(),
);

/** Takes back the outcome of a session whose row the transaction holds. */
export async function revokeOutcome(tx: Tx, id: string): Promise<TrustCheckRow> {
  const [row] = await revokeRow(tx, { link_session_id: id });
  if (!row) throw new Error('the session to revoke does not exist');
  return row;
}

const runningOfLink = statement<{ link_session_id: string }>(
  'trust_checks.running_of_link',
  `SELECT link_session_id FROM trust_checks
   WHERE link_uuid = $1 AND status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned',
     'canceled')
   ORDER BY created_at LIMIT $2`,
);

/** The sessions of a link that are not decided yet, the oldest first. */
export async function listRunningOfLink(
  on: Queryable,
  linkUuid: string,
  limit: number,
): Promise<string[]> {
  return (await runningOfLink(on, [linkUuid, limit])).map((row) => row.link_session_id);
}

const writeStepOf = statement(
  'trust_checks.write_step',
  `UPDATE trust_checks SET status = $2, reason_code = $3, version = $4, proofs = $5::jsonb,
     consent = $6::jsonb, poly_user_id = $7, device_id = $8, opened_at = $9, paired_at = $10,
     submitted_at = $11, decided_at = $12, affidavit_status = $13, affidavit_id = $14,
     log = $15::jsonb, skips = $16::jsonb, awaits_start = false
   WHERE link_session_id = $1`,
);

/** Writes the columns that a step changes, of a row that the transaction has locked. */
export async function writeStep(tx: Tx, row: TrustCheckRow): Promise<void> {
  await writeStepOf(tx, [
    row.link_session_id,
    row.status,
    row.reason_code,
    row.version,
    JSON.stringify(row.proofs),
    row.consent === null ? null : JSON.stringify(row.consent),
    row.poly_user_id,
    row.device_id,
    row.opened_at,
    row.paired_at,
    row.submitted_at,
    row.decided_at,
    row.affidavit_status,
    row.affidavit_id,
    JSON.stringify(row.log),
    JSON.stringify(row.skips),
  ]);
}

const setCancelReason = statement(
  'trust_checks.set_cancel_reason',
  `UPDATE trust_checks SET cancel_reason_sealed = $2
   WHERE link_session_id = $1 AND status = 'canceled' AND cancel_reason_sealed IS NULL
     AND redacted_at IS NULL`,
);

/** Keeps the reason given for a cancellation: the first one, and none once it was redacted. */
export async function writeCancelReason(on: Queryable, id: string, sealed: Buffer): Promise<void> {
  await setCancelReason(on, [id, sealed]);
}
