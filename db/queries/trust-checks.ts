import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, eq } from '../schema/drizzle.ts';
import { trustChecks } from '../schema/trust-checks.ts';

export type TrustCheckRow = typeof trustChecks.$inferSelect;

const { link_session_id, link_uuid, status } = trustChecks;

const byId = prepare('trust_checks.by_id', { link_session_id }, ({ equals }) =>
  build.select().from(trustChecks).where(equals.link_session_id),
);
const lockById = prepare('trust_checks.lock', { link_session_id }, ({ equals }) =>
  build.select().from(trustChecks).where(equals.link_session_id).for('update'),
);

export async function findTrustCheck(on: Queryable, id: string): Promise<TrustCheckRow | null> {
  return firstOf(await byId(on, { link_session_id: id }));
}

const redaction = statement<{ is_redacted: boolean }>(
  'trust_checks.is_redacted',
  'SELECT redacted_at IS NOT NULL AS is_redacted FROM trust_checks WHERE link_session_id = :id',
);

/** Returns true if a session is currently redacted, or does not exist. */
export async function isRedacted(on: Queryable, id: string): Promise<boolean> {
  return firstOf(await redaction(on, { id }))?.is_redacted ?? true;
}

/** Returns a session, locked until the transaction ends, or null. */
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

/** Returns true if a check of this link has passed. */
export async function hasPassedCheck(on: Queryable, linkUuid: string): Promise<boolean> {
  return (await passedOf(on, { link_uuid: linkUuid })).length > 0;
}

const insert = statement<TrustCheckRow>(
  'trust_checks.insert',
  `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, client, locale,
     return_to, status, proofs, matching, livemode, created_at, begun_from, asked, matching_sealed,
     title_sealed, reference_sealed, reference_blind, words_blind, awaits_start, sandbox_subject,
     poly_user_id, resume_hash, subject_reasons, image_retention_days)
   SELECT :link_session_id::text, l.link_uuid, :app_id::text, :account_id::int, :client::text,
     :locale::text, :return_to::text,
     'created', :proofs::jsonb, '{}', :livemode::boolean, :created_at::timestamptz,
     :begun_from::text,
     jsonb_build_object('policy', l.policy, 'requested_claims', l.requested_claims,
       'max_attempts', l.max_attempts, 'link_type', l.link_type,
       'redirect_url', l.redirect_url, 'app_name', p.name, 'account_name', a.name),
     l.matching_sealed, l.title_sealed, l.reference_sealed, l.reference_blind, l.words_blind, true,
     :sandbox_subject::text, :poly_user_id::text, :resume_hash::bytea,
     a.subject_reasons, a.image_retention_days
   FROM links l JOIN apps p USING (app_id) JOIN accounts a ON a.account_id = l.account_id
   WHERE l.link_uuid = :link_uuid
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
  /** The person who begins it, if proved. */
  readonly poly_user_id: string | null;
  readonly resume_hash: Buffer | null;
}

/**
 * Inserts a session in state `created`, with the current requirements of its link, and queues its
 * workflow. Returns null if the id exists.
 */
export async function insertTrustCheck(tx: Tx, row: NewTrustCheck): Promise<TrustCheckRow | null> {
  return firstOf(
    await insert(tx, {
      link_session_id: row.link_session_id,
      link_uuid: row.link_uuid,
      app_id: row.app_id,
      account_id: row.account_id,
      client: row.client,
      locale: row.locale,
      return_to: row.return_to,
      proofs: JSON.stringify(row.proofs),
      livemode: row.livemode,
      created_at: row.created_at,
      begun_from: row.begun_from,
      sandbox_subject: row.sandbox_subject,
      poly_user_id: row.poly_user_id,
      resume_hash: row.resume_hash,
    }),
  );
}

/** Numbers of open sessions of a link. */
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
     count(*) FILTER (WHERE begun_from = :network)::int AS of_network,
     count(*) FILTER (WHERE holds_use OR status <> 'created'
     OR created_at > :heldSince)::int AS held
   FROM trust_checks
   WHERE link_uuid = :linkUuid
     AND status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned',
     'canceled')`,
);
const holdUseOf = prepare('trust_checks.hold_use', { link_session_id }, ({ equals }) =>
  build.update(trustChecks).set({ holds_use: true }).where(equals.link_session_id),
);

/**
 * Counts the open sessions of a link.
 * @param network a network to count separately, or null
 * @param heldSince an unopened session created since then also holds its use
 */
export async function countOpen(
  tx: Tx,
  linkUuid: string,
  network: string | null,
  heldSince: Date,
): Promise<OpenCounts> {
  const counts = firstOf(await countOpenOf(tx, { linkUuid, network, heldSince }));
  return counts ?? { open: 0, of_network: 0, held: 0 };
}

/** Holds a use of its link for a session until the session ends. */
export async function holdUse(tx: Tx, id: string): Promise<void> {
  await holdUseOf(tx, { link_session_id: id });
}

const runningOf = statement<{ link_session_id: string }>(
  'trust_checks.running_of_device',
  `SELECT link_session_id FROM trust_checks
   WHERE device_id = :deviceId
     AND status IN ('paired', 'collecting', 'processing', 'requires_retry', 'in_review')`,
);

/** Returns the undecided sessions that run on a device. */
export async function listRunningOf(on: Queryable, deviceId: string): Promise<string[]> {
  return (await runningOf(on, { deviceId })).map((row) => row.link_session_id);
}

const newestOfDevice = statement<TrustCheckRow>(
  'trust_checks.newest_of_device',
  `SELECT * FROM trust_checks WHERE link_uuid = :linkUuid AND device_id = :deviceId
   ORDER BY created_at DESC LIMIT 1`,
);

/** Returns the newest session that ran on a device for a link, or null. */
export async function findNewestOfDevice(
  on: Queryable,
  linkUuid: string,
  deviceId: string,
): Promise<TrustCheckRow | null> {
  return firstOf(await newestOfDevice(on, { linkUuid, deviceId }));
}

const revokeRow = prepare('trust_checks.revoke', { link_session_id }, ({ equals }) =>
  build
    .update(trustChecks)
    .set({ outcome_validity: 'revoked' })
    .where(equals.link_session_id)
    .returning(),
);

/** Revokes the outcome of a session whose row the transaction has locked. */
export async function revokeOutcome(tx: Tx, id: string): Promise<TrustCheckRow> {
  const [row] = await revokeRow(tx, { link_session_id: id });
  if (!row) throw new Error('the session to revoke does not exist');
  return row;
}

const runningOfLink = statement<{ link_session_id: string }>(
  'trust_checks.running_of_link',
  `SELECT link_session_id FROM trust_checks
   WHERE link_uuid = :linkUuid
     AND status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned',
     'canceled')
   ORDER BY created_at LIMIT :limit`,
);

/** Returns the undecided sessions of a link, oldest first. */
export async function listRunningOfLink(
  on: Queryable,
  linkUuid: string,
  limit: number,
): Promise<string[]> {
  return (await runningOfLink(on, { linkUuid, limit })).map((row) => row.link_session_id);
}

const writeStepOf = statement(
  'trust_checks.write_step',
  `UPDATE trust_checks SET status = :status, reason_code = :reason_code, version = :version,
   proofs = :proofs::jsonb,
     consent = :consent::jsonb, poly_user_id = :poly_user_id, device_id = :device_id,
     opened_at = :opened_at, paired_at = :paired_at,
     submitted_at = :submitted_at, decided_at = :decided_at, affidavit_status = :affidavit_status,
     affidavit_id = :affidavit_id,
     log = :log::jsonb, skips = :skips::jsonb, awaits_start = false
   WHERE link_session_id = :link_session_id`,
);

/** Writes the columns that a step changes. The transaction has locked the row. */
export async function writeStep(tx: Tx, row: TrustCheckRow): Promise<void> {
  await writeStepOf(tx, {
    link_session_id: row.link_session_id,
    status: row.status,
    reason_code: row.reason_code,
    version: row.version,
    proofs: JSON.stringify(row.proofs),
    consent: row.consent === null ? null : JSON.stringify(row.consent),
    poly_user_id: row.poly_user_id,
    device_id: row.device_id,
    opened_at: row.opened_at,
    paired_at: row.paired_at,
    submitted_at: row.submitted_at,
    decided_at: row.decided_at,
    affidavit_status: row.affidavit_status,
    affidavit_id: row.affidavit_id,
    log: JSON.stringify(row.log),
    skips: JSON.stringify(row.skips),
  });
}

const setCancelReason = statement(
  'trust_checks.set_cancel_reason',
  `UPDATE trust_checks SET cancel_reason_sealed = :sealed
   WHERE link_session_id = :id AND status = 'canceled' AND cancel_reason_sealed IS NULL
     AND redacted_at IS NULL`,
);

/** Stores the reason of a cancellation. The first reason stays. Stores none after a redaction. */
export async function writeCancelReason(on: Queryable, id: string, sealed: Buffer): Promise<void> {
  await setCancelReason(on, { id, sealed });
}
