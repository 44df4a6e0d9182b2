import { roles, type DevicePlatform, type Role } from '../../domain/names.ts';
import { statement, withTotal, type Queryable } from '../client.ts';
import type { TrustCheckRow } from './trust-checks.ts';

/** A person who enrolled a device in the app, or ran a check of it. */
export interface AppUserRow {
  readonly poly_user_id: string;
  readonly platform: DevicePlatform | null;
  readonly role: Role | null;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  readonly passed: number;
  readonly failed: number;
}

/**
 * `seen`: each use of the app by a person. `people`: one row for each person. `users`: with the
 * highest role in the account. `found`: those that the search matches, by id, by the words of a
 * name in a passed check, or by the address of the first login email.
 */
const seen = `WITH seen AS (
    SELECT poly_user_id, platform, created_at AS first_at,
      coalesce(last_seen_at, created_at) AS last_at
    FROM devices WHERE app_id = :appId
    UNION ALL
    SELECT poly_user_id, NULL, created_at, coalesce(decided_at, created_at)
    FROM trust_checks WHERE account_id = :accountId AND app_id = :appId AND poly_user_id IS NOT NULL
  ), people AS (
    SELECT poly_user_id, min(first_at) AS first_seen_at, max(last_at) AS last_seen_at,
      (array_agg(platform ORDER BY last_at DESC) FILTER (WHERE platform IS NOT NULL))[1] AS platform
    FROM seen GROUP BY poly_user_id
  ), users AS (
    SELECT p.*, (
      SELECT held FROM memberships m, unnest(m.roles) held
      WHERE m.poly_user_id = p.poly_user_id AND m.account_id = :accountId
      ORDER BY array_position('{${roles.join(',')}}', held) DESC NULLS LAST LIMIT 1) AS role
    FROM people p
  ), found AS (
    SELECT * FROM users
    WHERE (:text::text IS NULL OR strpos(lower(poly_user_id), lower(:text)) > 0
      OR poly_user_id IN (SELECT t.poly_user_id FROM trust_checks t
        WHERE t.account_id = :accountId AND t.app_id = :appId AND t.status = 'passed'
          AND t.redacted_at IS NULL AND t.link_session_id IN (
            SELECT n.link_session_id FROM listed_trust_checks n
            WHERE n.account_id = :accountId AND n.names_blind @> :names::text[]))
      OR poly_user_id IN (SELECT e.poly_user_id FROM login_emails e
        WHERE e.email_blind = :emailBlind AND e.identity_id = (
          SELECT min(o.identity_id) FROM login_emails o
          WHERE o.poly_user_id = e.poly_user_id AND o.status = 'ACTIVE')))
      AND (:platform::text IS NULL OR platform::text = :platform)
        AND (:role::text IS NULL OR role = :role)
  )`;
const page = statement<AppUserRow>(
  'app_users.page',
  `${seen}, shown AS (
    SELECT * FROM found ORDER BY last_seen_at DESC, poly_user_id LIMIT :limit OFFSET :offset
  )
  SELECT s.*, c.passed, c.failed FROM shown s, LATERAL (
    SELECT count(*) FILTER (WHERE t.status = 'passed')::int AS passed,
      count(*) FILTER (WHERE t.status = 'failed')::int AS failed
    FROM trust_checks t
    WHERE t.poly_user_id = s.poly_user_id AND t.account_id = :accountId AND t.app_id = :appId) c
  ORDER BY s.last_seen_at DESC, s.poly_user_id`,
);
const count = statement<{ total: number }>(
  'app_users.count',
  `${seen} SELECT count(*)::int AS total FROM found`,
);
const lastPassed = statement<TrustCheckRow>(
  'app_users.last_passed',
  `SELECT DISTINCT ON (poly_user_id) * FROM trust_checks
   WHERE poly_user_id = ANY (:polyUserIds) AND account_id = :account_id AND app_id = :app_id
     AND status = 'passed'
     AND redacted_at IS NULL AND claims_sealed IS NOT NULL
   ORDER BY poly_user_id, decided_at DESC`,
);

/** A search text: a part of an id, the prefixes of the words of a name, or a whole address. */
export interface AppUserSearch {
  readonly text: string;
  /** Keyed digests that a released name must have; null if the text cannot match a name. */
  /** Digests of words, never empty: an empty list would match every check. */
  readonly names: readonly string[] | null;
  /** Keyed digest of the text as an address; null if it is not an address. */
  readonly emailBlind: Buffer | null;
}

export interface AppUserFilter {
  readonly search: AppUserSearch | null;
  readonly platform: DevicePlatform | null;
  readonly role: Role | null;
}

/** Returns a page of the users of an app, the most recently seen first, and the total count. */
export async function listAppUsers(
  on: Queryable,
  app: { readonly account_id: number; readonly app_id: string },
  { search, platform, role }: AppUserFilter,
  [limit, offset]: readonly [number, number],
) {
  const { text = null, names = null, emailBlind = null } = search ?? {};
  const filters = { text, platform, role, names, emailBlind };
  const by = { accountId: app.account_id, appId: app.app_id, ...filters };
  return withTotal(page(on, { ...by, limit, offset }), count(on, by));
}

/**
 * Returns for each of these people the last check they passed for the app, without redacted ones.
 */
export async function listLastPassed(
  on: Queryable,
  app: { readonly account_id: number; readonly app_id: string },
  polyUserIds: readonly string[],
): Promise<TrustCheckRow[]> {
  return lastPassed(on, { account_id: app.account_id, app_id: app.app_id, polyUserIds });
}
