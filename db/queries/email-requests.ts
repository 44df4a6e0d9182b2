import type { EmailPurpose } from '../../domain/names.ts';
import { firstOf, statement, transaction, type Db, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare, without } from '../prepare.ts';
import { and, inArray, isNull, sql } from '../schema/drizzle.ts';
import { emailRequests } from '../schema/email-requests.ts';

export type EmailRequestRow = typeof emailRequests.$inferSelect;

const { address_sealed, code_tries, consumed_at, mailed_at, request_id, state, taken_at } =
  emailRequests;

/** NOTIFY channel for newly requested mails. */
export const emailRequestsChannel = 'email_requests';

/** Requests are kept as long as they count against the daily limits. */
const keptFor = "interval '1 day'";

const oldRequests = (now: string, lengthMax: string): string =>
  `DELETE FROM email_requests WHERE request_id IN (
       SELECT request_id FROM email_requests WHERE created_at < ${now}::timestamptz - ${keptFor}
       ORDER BY created_at LIMIT ${lengthMax} FOR UPDATE SKIP LOCKED)`;

const insert = statement(
  'email_requests.insert',
  `WITH swept AS (
     ${oldRequests(':created_at', '20')}
   ), kept AS (
     INSERT INTO email_requests (request_id, purpose, poly_user_id, address_blind, address_sealed,
       token_hash, browser_hash, app_id, return_to, locale, state, created_at, expires_at,
       taken_at, network_blind, secret_version)
     VALUES (:request_id, :purpose::email_purpose, :poly_user_id, :address_blind, :address_sealed,
       :token_hash, :browser_hash, :app_id, :return_to, :locale, :state::email_request_state,
       :created_at,
       :expires_at, CASE WHEN :state = 'dropped' THEN :created_at::timestamptz END, :network_blind,
       :secret_version)
   )
   SELECT pg_notify('${emailRequestsChannel}', '')`,
);
const removeOld = statement(
  'email_requests.remove_old',
  `${oldRequests(':now', ':lengthMax')} RETURNING request_id`,
);
/**
 * Lists at most `limit` requests whose workflow is not started, except those in `without`. The
 * oldest request of each sender (a person, or a network for logins) comes first, then the second of
 * each.
 */
export const listUnsignaled = prepare(
  'email_requests.untaken',
  { now: emailRequests.expires_at, limit, without },
  ({ by }) => sql<EmailRequestRow>`SELECT *
  FROM email_requests WHERE taken_at IS NULL AND expires_at > ${by.now}
     AND request_id <> ALL (${by.without}::text[])
   ORDER BY row_number() OVER (
     PARTITION BY poly_user_id, network_blind ORDER BY created_at), created_at LIMIT ${by.limit}`,
);
const take = prepare('email_requests.take', { request_id, taken_at }, ({ by, equals }) =>
  build
    .update(emailRequests)
    .set({ taken_at: by.taken_at })
    .where(and(equals.request_id, isNull(taken_at))),
);
const byId = prepare('email_requests.by_id', { request_id }, ({ equals }) =>
  build.select().from(emailRequests).where(equals.request_id),
);
/** Serializes the counting of mails per address and per requester. */
const lockBudgets = statement(
  'email_requests.lock_budgets',
  `SELECT pg_advisory_xact_lock(
       hashtextextended('email_requests ' || encode(address_blind, 'hex'), 0)),
     pg_advisory_xact_lock(hashtextextended('email_requests ' || poly_user_id, 0))
   FROM email_requests WHERE request_id = :requestId`,
);
/** An admitted mail counts as sent. Each purpose has its own limits. */
const admit = statement<{ request_id: string }>(
  'email_requests.admit',
  `WITH spent AS (
     SELECT count(*) FILTER (WHERE o.address_blind = r.address_blind) AS by_address,
       count(*) FILTER (WHERE o.address_blind = r.address_blind AND o.state <> 'consumed'
         AND coalesce(o.poly_user_id = r.poly_user_id, o.network_blind = r.network_blind)
       ) AS by_asker,
       count(*) FILTER (WHERE o.poly_user_id = r.poly_user_id) AS of_asker
     FROM email_requests r JOIN email_requests o
       ON o.purpose = r.purpose AND o.request_id <> r.request_id
       AND (o.address_blind = r.address_blind OR o.poly_user_id = r.poly_user_id)
     WHERE r.request_id = :requestId
       AND coalesce(o.admitted_at, o.mailed_at) > :now::timestamptz - ${keptFor}
   )
   UPDATE email_requests r SET admitted_at = coalesce(r.admitted_at, :now) FROM spent
   WHERE r.request_id = :requestId AND (r.admitted_at IS NOT NULL OR (
     spent.by_address < :toAddress AND spent.by_asker < :toAddressByAsker
     AND (r.poly_user_id IS NULL OR spent.of_asker < :byPerson::int)))
   RETURNING r.request_id`,
);
/**
 * Only the newest request per purpose and requester stays valid; earlier ones are superseded. A
 * request from another requester does not invalidate a mail. Locks rows from the oldest on, so that
 * concurrent calls do not deadlock.
 */
const promote = statement<{ state: string }>(
  'email_requests.promote',
  `WITH own AS (
     SELECT * FROM email_requests WHERE request_id = :requestId
   ), open AS MATERIALIZED (
     SELECT r.request_id FROM email_requests r, own
     WHERE r.address_blind = own.address_blind AND r.purpose = own.purpose
       AND r.poly_user_id IS NOT DISTINCT FROM own.poly_user_id
       AND (r.purpose = 'attach' OR r.network_blind IS NOT DISTINCT FROM own.network_blind)
       AND r.state IN ('requested', 'sent')
       AND (r.created_at < own.created_at OR r.request_id = own.request_id)
     ORDER BY r.created_at, r.request_id FOR UPDATE OF r
   ), older AS (
     UPDATE email_requests r SET state = 'superseded' FROM open
     WHERE r.request_id = open.request_id AND r.request_id <> :requestId
   )
   UPDATE email_requests r SET state = 'sent' FROM open
   WHERE r.request_id = open.request_id AND r.request_id = :requestId
   RETURNING r.state`,
);
const drop = prepare('email_requests.drop', { request_id }, ({ equals }) =>
  build
    .update(emailRequests)
    .set({ state: 'dropped' })
    .where(and(equals.request_id, inArray(state, ['requested', 'sent']))),
);
/** Locks rows in the order of `promote`. Waits for locks, because those transactions end soon. */
const expire = statement(
  'email_requests.expire',
  `WITH due AS MATERIALIZED (
     SELECT request_id FROM email_requests
     WHERE request_id = ANY (:requestIds) AND state IN ('requested', 'sent') AND expires_at <= :now
     ORDER BY created_at, request_id FOR UPDATE
   )
   UPDATE email_requests r SET state = 'expired' FROM due WHERE r.request_id = due.request_id`,
);
const setAddress = prepare(
  'email_requests.set_address',
  { request_id, address_sealed },
  ({ by, equals }) =>
    build.update(emailRequests).set({ address_sealed: by.address_sealed }).where(equals.request_id),
);
const setMailed = prepare(
  'email_requests.set_mailed',
  { request_id, mailed_at },
  ({ by, equals }) =>
    build.update(emailRequests).set({ mailed_at: by.mailed_at }).where(equals.request_id),
);
const byToken = statement<EmailRequestRow>(
  'email_requests.by_token',
  `SELECT * FROM email_requests
   WHERE token_hash = :tokenHash AND purpose = :purpose::email_purpose`,
);
const lockByToken = statement<EmailRequestRow>(
  'email_requests.lock_by_token',
  `SELECT * FROM email_requests
   WHERE token_hash = :tokenHash AND purpose = :purpose::email_purpose FOR UPDATE`,
);
const countTry = prepare('email_requests.count_try', { request_id }, ({ equals }) =>
  build
    .update(emailRequests)
    .set({ code_tries: sql`${code_tries} + 1` })
    .where(equals.request_id),
);
const consume = prepare('email_requests.consume', { request_id, consumed_at }, ({ by, equals }) =>
  build
    .update(emailRequests)
    .set({ state: 'consumed', consumed_at: by.consumed_at })
    .where(equals.request_id),
);

/**
 * Stores a request, notifies the workers, and deletes a few that no longer count. Workers have
 * nothing to do for a request that is dropped from the start.
 */
export async function addEmailRequest(
  on: Queryable,
  row: Omit<
    EmailRequestRow,
    'code_tries' | 'taken_at' | 'admitted_at' | 'mailed_at' | 'consumed_at'
  >,
): Promise<void> {
  await insert(on, row);
}

/** Deletes at most `lengthMax` requests that no longer count. Returns how many. */
export async function removeOldRequests(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeOld(on, { now, lengthMax })).length;
}

export async function markRequestSignaled(
  on: Queryable,
  requestId: string,
  now: Date,
): Promise<void> {
  await take(on, { request_id: requestId, taken_at: now });
}

export async function findEmailRequest(
  on: Queryable,
  requestId: string,
): Promise<EmailRequestRow | null> {
  return firstOf(await byId(on, { request_id: requestId }));
}

/** Daily limits of mails for one purpose. */
export interface DailyMails {
  /** To one address, from any requester. */
  readonly toAddress: number;
  /** Unanswered, to one address, per requesting person, or per network for a login. */
  readonly toAddressByAsker: number;
  /** Per requesting person, to any address; null for a login, which has no known person. */
  readonly byPerson: number | null;
}

/**
 * Returns true if the mail of a request is within the daily limits. Serializes concurrent calls. An
 * admitted request stays admitted.
 */
export function admitEmailRequest(
  db: Db,
  requestId: string,
  now: Date,
  mails: DailyMails,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockBudgets(tx, { requestId });
    // A separate statement, so that it counts mails admitted while the locks were awaited.
    return (await admit(tx, { requestId, now, ...mails })).length === 1;
  });
}

/** Makes a request the one whose token is valid. Returns false if it has already ended. */
export async function promoteEmailRequest(on: Queryable, requestId: string): Promise<boolean> {
  return (await promote(on, { requestId })).length === 1;
}

/** Ends a request whose address must not receive mail. */
export async function dropEmailRequest(on: Queryable, requestId: string): Promise<void> {
  await drop(on, { request_id: requestId });
}

/**
 * Expires those of these requests whose time is over. A mail that was sent late keeps its later
 * end.
 */
export async function expireEmailRequests(
  on: Queryable,
  requestIds: readonly string[],
  now: Date,
): Promise<void> {
  await expire(on, { requestIds, now });
}

/** Replaces the sealed address of a request with another spelling of it. */
export async function respellEmailRequest(
  on: Queryable,
  requestId: string,
  addressSealed: Buffer,
): Promise<void> {
  await setAddress(on, { request_id: requestId, address_sealed: addressSealed });
}

export async function noteMailed(on: Queryable, requestId: string, now: Date): Promise<void> {
  await setMailed(on, { request_id: requestId, mailed_at: now });
}

/** Returns the request of a token in its current state. */
export async function findByToken(
  on: Queryable,
  tokenHash: Buffer,
  purpose: EmailPurpose,
): Promise<EmailRequestRow | null> {
  return firstOf(await byToken(on, { tokenHash, purpose }));
}

/** Returns the request of a token, locked until the transaction ends. */
export async function lockEmailRequest(
  tx: Tx,
  tokenHash: Buffer,
  purpose: EmailPurpose,
): Promise<EmailRequestRow | null> {
  return firstOf(await lockByToken(tx, { tokenHash, purpose }));
}

export async function countCodeTry(tx: Tx, requestId: string): Promise<void> {
  await countTry(tx, { request_id: requestId });
}

export async function consumeEmailRequest(tx: Tx, requestId: string, now: Date): Promise<void> {
  await consume(tx, { request_id: requestId, consumed_at: now });
}
