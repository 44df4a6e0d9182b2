import type { Db } from '../../../db/client.ts';
import { addAccount } from '../../../db/queries/seeding.ts';

/** Facts about a filled database, for queries of its logs. */
export interface FilledLogs {
  /** The account with the most rows, one of its apps, and one of its PolyUsers. */
  readonly accountId: number;
  readonly appId: string;
  readonly polyUserId: string;
  /** A time that divides the rows into two halves. */
  readonly middle: string;
  /** A word that occurs in every row, and a text of a single meeting. */
  readonly frequent: string;
  readonly rare: string;
}

const frequent = 'subject';
const spanDays = 365;
/** Exponent of the account sizes: the largest of 200 accounts has 1/50 of all rows. */
const unequal = 1.37;
const until = Date.UTC(2026, 0, 1);

/**
 * Fills an empty database with meetings and checks, half of `rows` each, over one year. Account
 * sizes are unequal, and the first account is the largest.
 * @param batch rows inserted per statement; `say` reports each batch
 * @param digestOf returns an account's digest of the frequent word, as stored with its checks
 */
export async function fillLogs(
  db: Db,
  {
    rows,
    accounts,
    batch = rows,
    digestOf = () => 'frequent',
  }: {
    readonly rows: number;
    readonly accounts: number;
    readonly batch?: number;
    readonly digestOf?: (accountId: number, word: string) => string;
  },
  say: (line: string) => void = () => undefined,
  signal?: AbortSignal,
): Promise<FilledLogs> {
  for (let place = 0; place < accounts; place += 1) await addFilled(db);
  const half = Math.floor(rows / 2);
  const ids = Array.from({ length: accounts }, (_, place) => place + 1);
  const digests = ids.map((id) => digestOf(id, frequent));
  for (let from = 0; from < half; from += batch) {
    signal?.throwIfAborted();
    const to = Math.min(half, from + batch);
    await db.query(meetings, [from, to - 1, accounts, half]);
    await db.query(participants, [from, to - 1, accounts, half]);
    await db.query(checks, [from, to - 1, accounts, half, digests]);
    say(`${2 * to} of ${2 * half} rows`);
  }
  return {
    accountId: 1,
    appId: 'app-1',
    polyUserId: 'pu_1',
    middle: new Date(until - (spanDays / 2) * 86_400_000).toISOString(),
    frequent,
    rare: `number ${Math.floor(half / 2)} `,
  };
}

async function addFilled(db: Db): Promise<void> {
  const [account] = await addAccount(db, ['Example account', true, new Date(until)]);
  const id = account?.account_id ?? 0;
  await db.query(
    `INSERT INTO apps (app_id, account_id, name, kind, allowed_origins, default_proofs, tos_version,
       created_at) VALUES ('app-' || $1::int, $1, 'Example app', 'sdk', '{}', '{}', '1', now())`,
    [id],
  );
  await db.query(
    `INSERT INTO links (link_uuid, app_id, account_id, link_type, status, single_use, emailed,
       livemode, max_attempts, required_proofs, requested_claims, policy, created_by,
       created_at, updated_at)
     VALUES ('link-' || $1::int, 'app-' || $1, $1, 'meeting', 'active', false, false, true, 3, '{}',
       '{}', '{}', 'key', now(), now())`,
    [id],
  );
}

/**
 * Generates rows n from $1 to $2 for each source, over $3 accounts, spread over the seconds of the
 * year.
 */
const given = `SELECT n, 1 + floor($3 * power(hash, ${unequal}))::int AS account_id, md5(n::text) AS digest,
    to_timestamp(${until / 1000} - (n + hash) / $4::float8 * ${spanDays} * 86400)
      AS at, 'pu_' || (n % 997) AS person
  FROM (SELECT n, (hashint8(n) & 1048575) / 1048576.0::float8 AS hash
        FROM generate_series($1::bigint, $2::bigint) n) g`;
const title = `'Subject number ' || n || ' of ' || digest`;

const meetings = `INSERT INTO meetings (meeting_key, platform, meeting_id, link_uuid, occurrence,
    account_id, status, livemode, topic, organization, names_blind, occurred_at, created_by,
    created_at, updated_at, awaits_start)
  SELECT 'mt_' || digest, 'sandbox', NULL, 'link-' || account_id, n, account_id, 'ended', true,
    ${title}, 'Organization ' || n % 1000, ARRAY[left(digest, 8), substr(digest, 9, 8)], at, 'key',
    at, at, false
  FROM (${given}) g`;
const participants = `INSERT INTO meeting_participants (participant_id, meeting_key, account_id,
    poly_user_id, role, status, verification, occurred_at, joined_at, created_at)
  SELECT 'pa_' || digest, 'mt_' || digest, account_id, person, 'participant', 'joined', 'verified',
    at, at, at
  FROM (${given}) g`;
const checks = `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id,
    poly_user_id, client, status, proofs, asked, matching, livemode, names_blind, words_blind,
    created_at, decided_at)
  SELECT 'tc_' || digest, 'link-' || account_id, 'app-' || account_id, account_id, person, 'web',
    'passed', '[]', '{}', '{}', true, ARRAY[left(digest, 8), substr(digest, 9, 8)],
    ARRAY[($5::text[])[account_id], left(digest, 12)], at, at
  FROM (${given}) g`;
