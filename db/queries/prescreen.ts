import { trustCheckFinalStates } from '../../workflows/trust-check/state.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { prescreenRollups } from '../schema/prescreen.ts';

const { account_id, account_seq, refreshed_at } = prescreenRollups;

const finals = trustCheckFinalStates.map((state) => `'${state}'`).join(', ');
const day = (at: string): string => `(${at} AT TIME ZONE 'UTC')::date`;
/** Buckets of durations: four per doubling, starting at one second. */
const bucket = (from: string, to: string): string =>
  `floor(4 * ln(greatest(extract(epoch FROM ${to} - ${from}), 1)) / ln(2))::int`;

const behind = statement<{ account_id: number }>(
  'prescreen.behind',
  `SELECT a.account_id FROM accounts a JOIN streams s ON s.stream = 'account:' || a.account_id
     LEFT JOIN prescreen_rollups r USING (account_id)
   WHERE a.account_id > :afterAccountId AND s.seq > coalesce(r.account_seq, 0)
   ORDER BY a.account_id LIMIT :limit`,
);

/** Lists at most `limit` accounts after this one that have events not yet rolled up. */
export async function listBehind(
  on: Queryable,
  afterAccountId: number,
  limit: number,
): Promise<number[]> {
  return (await behind(on, { afterAccountId, limit })).map(({ account_id }) => account_id);
}

const begin = prepare('prescreen.begin', { account_id }, ({ by }) =>
  build
    .insert(prescreenRollups)
    .values({ ...by, account_seq: 0 })
    .onConflictDoNothing(),
);
const lock = prepare('prescreen.lock', { account_id }, ({ equals }) =>
  build.select({ account_seq }).from(prescreenRollups).where(equals.account_id).for('update'),
);

/** Locks the rollup of an account and returns the position of the last event rolled up. */
export async function lockRollup(tx: Tx, accountId: number): Promise<number> {
  await begin(tx, { account_id: accountId });
  return firstOf(await lock(tx, { account_id: accountId }))?.account_seq ?? 0;
}

const touched = statement<{ until: number | null; days: string[] }>(
  'prescreen.touched',
  `WITH told AS (
     SELECT account_seq, type::text AS type, object_id FROM events
     WHERE account_id = :accountId AND account_seq > :after ORDER BY account_seq LIMIT :limit
   ), days AS (
     SELECT ${day('l.created_at')} AS day FROM told JOIN links l ON l.link_uuid = told.object_id
     WHERE told.type LIKE 'link.%' AND l.link_type = 'prescreen' AND l.single_use
     UNION
     SELECT ${day('CASE WHEN l.single_use THEN l.created_at ELSE t.created_at END')}
     FROM told JOIN trust_checks t ON t.link_session_id = told.object_id
       JOIN links l ON l.link_uuid = t.link_uuid
     WHERE told.type LIKE 'trust_check.%' AND l.link_type = 'prescreen'
   )
   SELECT (SELECT max(account_seq) FROM told) AS until,
     array(SELECT day::text FROM days ORDER BY day) AS days`,
);

/**
 * Reads the next events of an account after a position, at most `limit`. Returns the position of
 * the last one (null without events) and the UTC days (`YYYY-MM-DD`) of the prescreening checks in
 * them.
 */
export async function listTouched(
  tx: Tx,
  accountId: number,
  after: number,
  limit: number,
): Promise<{ until: number | null; days: string[] }> {
  return firstOf(await touched(tx, { accountId, after, limit })) ?? { until: null, days: [] };
}

/**
 * A prescreening check: a single-use link with its newest session if it has one, or a session of a
 * reusable link.
 */
const checks = `
  SELECT l.livemode, l.job_id, l.created_at AS invited_at, t.*,
    l.emailed AND (t.link_session_id IS NOT NULL OR
      coalesce(l.delivery->>'status' IN ('delivered', 'complained'), false)) AS is_delivered,
    coalesce(t.status::text, CASE l.status WHEN 'deleted' THEN 'canceled'
      WHEN 'expired' THEN 'expired' ELSE 'created' END) AS outcome
  FROM links l LEFT JOIN LATERAL (
    SELECT ${sessionColumns()} FROM trust_checks t WHERE t.link_uuid = l.link_uuid
    ORDER BY t.created_at DESC, t.link_session_id LIMIT 1) t ON true
  WHERE l.account_id = :accountId AND l.link_type = 'prescreen' AND l.single_use
    AND l.created_at >= :on::date::timestamp AT TIME ZONE 'UTC'
    AND l.created_at < (:on::date + 1)::timestamp AT TIME ZONE 'UTC'
  UNION ALL
  SELECT l.livemode, l.job_id, t.created_at, ${sessionColumns()}, false, t.status::text
  FROM trust_checks t JOIN links l ON l.link_uuid = t.link_uuid
  WHERE t.account_id = :accountId AND l.link_type = 'prescreen' AND NOT l.single_use
    AND t.created_at >= :on::date::timestamp AT TIME ZONE 'UTC'
    AND t.created_at < (:on::date + 1)::timestamp AT TIME ZONE 'UTC'`;

function sessionColumns(): string {
  const names = ['link_session_id', 'status', 'reason_code', 'proofs', 'device_id', 'consent'];
  const instants = ['opened_at', 'paired_at', 'submitted_at', 'decided_at'];
  return [...names, ...instants].map((name) => `t.${name}`).join(', ');
}

/** Counters of a check, by name; `stage` is the furthest stage it reached. */
const counted = `
  SELECT livemode, job_id, key FROM staged, LATERAL (VALUES
    ('invited', true),
    ('delivered', is_delivered), ('opened', stage >= 2), ('started', stage >= 3),
    ('consented', stage >= 4), ('submitted', stage >= 5), ('completed', stage >= 6),
    (CASE WHEN outcome IN (${finals}) THEN outcome ELSE 'in_progress' END, true),
    ('mismatched', outcome = 'failed' AND reason_code = 'mismatch'),
    ('reason.' || reason_code, outcome = 'failed' AND reason_code IS NOT NULL),
    ('dropoff.' || stage, outcome IN ('declined', 'abandoned', 'expired', 'canceled')),
    ('platform.' || platform || '.started', stage >= 3),
    ('platform.' || platform || '.passed', stage >= 3 AND outcome = 'passed'),
    ('open.' || ${bucket('invited_at', 'opened_at')}, stage >= 2),
    ('start.' || ${bucket('opened_at', 'paired_at')}, stage >= 3),
    ('consent.' || ${bucket('paired_at', 'consented_at')}, stage >= 4),
    ('collect.' || ${bucket('consented_at', 'submitted_at')}, stage >= 5),
    ('decide.' || ${bucket('submitted_at', 'decided_at')}, stage >= 6),
    ('total.' || ${bucket('opened_at', 'decided_at')}, stage >= 6)
  ) AS v (key, is_counted) WHERE is_counted AND key IS NOT NULL
  UNION ALL
  SELECT livemode, job_id, key FROM staged, jsonb_array_elements(proofs) p, LATERAL (VALUES
    ('proof.' || (p->>'type') || '.asked', true),
    ('proof.' || (p->>'type') || '.passed', p->>'status' = 'passed'
       AND p->>'reason_code' IS DISTINCT FROM 'review_requested'),
    ('proof.' || (p->>'type') || '.failed', p->>'status' = 'failed'),
    ('proof.' || (p->>'type') || '.tried', (p->>'attempt')::int > 0),
    ('proof.' || (p->>'type') || '.retried', (p->>'attempt')::int > 1)
  ) AS v (key, is_counted) WHERE is_counted`;

const roll = statement(
  'prescreen.roll',
  `WITH checks AS (${checks}),
   staged AS (
     SELECT c.*, (consent->>'at')::timestamptz AS consented_at,
       coalesce(d.platform::text, 'web') AS platform,
       CASE WHEN submitted_at IS NOT NULL AND outcome IN ('passed', 'failed') THEN 6
         WHEN submitted_at IS NOT NULL THEN 5
         WHEN (consent->>'accepted')::bool THEN 4
         WHEN paired_at IS NOT NULL THEN 3
         WHEN opened_at IS NOT NULL THEN 2
         WHEN is_delivered THEN 1 ELSE 0 END AS stage
     FROM checks c LEFT JOIN devices d ON d.device_id = c.device_id
   ),
   counted AS (${counted}),
   summed AS (
     SELECT livemode, coalesce(job_id, '') AS job_id, key, count(*) AS n FROM counted
     GROUP BY GROUPING SETS ((livemode, key), (livemode, job_id, key))
     HAVING GROUPING(job_id) = 1 OR job_id IS NOT NULL
   )
   INSERT INTO prescreen_days (account_id, livemode, job_id, day, counts)
   SELECT :accountId, livemode, job_id, :on::date, jsonb_object_agg(key, n) FROM summed
   GROUP BY livemode, job_id
   ON CONFLICT (account_id, livemode, job_id, day) DO UPDATE SET counts = excluded.counts`,
);

/** Recounts the checks of an account that were created on a UTC day (`YYYY-MM-DD`). */
export async function rollDay(tx: Tx, accountId: number, on: string): Promise<void> {
  await roll(tx, { accountId, on });
}

const advance = statement(
  'prescreen.advance',
  `UPDATE prescreen_rollups
   SET account_seq = :until, refreshed_at = coalesce(:refreshedAt, refreshed_at)
   WHERE account_id = :accountId`,
);
/** Locks the rows in key order, so that concurrent rollups do not deadlock. */
const refresh = statement(
  'prescreen.refresh',
  `UPDATE prescreen_rollups SET refreshed_at = :at WHERE account_id IN (
     SELECT r.account_id FROM prescreen_rollups r
     JOIN streams s ON s.stream = 'account:' || r.account_id AND s.seq = r.account_seq
     ORDER BY r.account_id FOR UPDATE OF r)`,
);

/** Records the position of a rollup, and the instant for which it is complete. */
export async function advanceRollup(
  tx: Tx,
  accountId: number,
  until: number,
  refreshedAt: Date | null,
): Promise<void> {
  await advance(tx, { accountId, until, refreshedAt });
}

/**
 * Records for every account without events to roll up that its days are complete as of an instant.
 */
export async function markRefreshed(on: Queryable, at: Date): Promise<void> {
  await refresh(on, { at });
}

const refreshed = prepare('prescreen.refreshed', { account_id }, ({ equals }) =>
  build.select({ refreshed_at }).from(prescreenRollups).where(equals.account_id),
);

/**
 * Returns the instant for which the days of an account are complete; null before the first rollup.
 */
export async function findRefreshed(on: Queryable, accountId: number): Promise<Date | null> {
  return firstOf(await refreshed(on, { account_id: accountId }))?.refreshed_at ?? null;
}

/** Counts of one UTC day (`YYYY-MM-DD`), for one posting or in total. */
export interface PrescreenDay {
  readonly day: string;
  readonly counts: Readonly<Record<string, number>>;
}

const days = statement<PrescreenDay>(
  'prescreen.days',
  `SELECT day::text, counts FROM prescreen_days
   WHERE account_id = :accountId AND livemode = :livemode AND job_id = ANY (:jobIds)
     AND day BETWEEN :from AND :to`,
);

/**
 * Returns the days of a range, both ends included, for these postings, or in total if none is
 * given.
 */
export async function listDays(
  on: Queryable,
  scope: { readonly accountId: number; readonly livemode: boolean; readonly jobIds: string[] },
  range: { readonly from: string; readonly to: string },
): Promise<PrescreenDay[]> {
  const jobIds = scope.jobIds.length > 0 ? scope.jobIds : [''];
  return days(on, {
    accountId: scope.accountId,
    livemode: scope.livemode,
    jobIds,
    from: range.from,
    to: range.to,
  });
}
