import type { Queryable } from '../../../db/client.ts';

const truth = `SELECT account_id, 'meeting'::log_source AS source, occurred_at AS at,
    meeting_key AS id, NULL::text AS app_id, link_uuid, lower(topic COLLATE "pg_c_utf8") AS title,
    lower(organization COLLATE "pg_c_utf8") AS detail, NULL::text AS words
  FROM meetings
  UNION ALL
  SELECT account_id, 'trust_check', created_at, link_session_id, app_id, link_uuid,
    NULL, NULL, nullif(array_to_string(words_blind, ' '), '')
  FROM trust_checks`;
const totals = `SELECT account_id, source, coalesce(app_id, '') AS app_id, count(*) AS entries
  FROM (${truth}) AS rows GROUP BY 1, 2, 3`;
const kept = `SELECT account_id, source, app_id, sum(entries)::bigint AS entries
  FROM log_totals GROUP BY 1, 2, 3 HAVING sum(entries) <> 0`;
const apart = (one: string, other: string): string =>
  `SELECT to_jsonb(a) AS row FROM (${one} EXCEPT ALL ${other}) AS a`;
const entries = 'SELECT * FROM log_entries';

/** Differences between the log entries and totals and the rows they are derived from. */
export async function driftOf(on: Queryable): Promise<unknown[]> {
  const { rows } = await on.query<{ row: unknown }>(
    [
      apart(`(${truth})`, entries),
      apart(entries, `(${truth})`),
      apart(`(${totals})`, `(${kept})`),
      apart(`(${kept})`, `(${totals})`),
    ].join(' UNION ALL '),
  );
  return rows.map(({ row }) => row);
}
