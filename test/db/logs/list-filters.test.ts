import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullReach, type Db } from '../../../db/client.ts';
import { condition, listFiltered, type FilteredList } from '../../../db/queries/filtered-list.ts';
import { addAccount } from '../../../db/queries/seeding.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { plansOf, readOf } from '../rights/plans.ts';

const rowCount = 20_000;
const limit = 26;
let db: Db;
let drop: () => Promise<void>;
let accountId: number;

/** One row in 2,000 differs in every filtered column. */
const rare = (usual: string, unusual: string): string =>
  `CASE WHEN n % 2000 = 0 THEN ${unusual} ELSE ${usual} END`;
const times = "timestamptz '2026-01-01' + n * interval '1 minute'";

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  const [made] = await addAccount(db, ['Example account', true, new Date()]);
  accountId = made?.account_id ?? 0;
  await db.query(
    `INSERT INTO apps (app_id, account_id, name, kind, allowed_origins, default_proofs, tos_version,
       created_at) VALUES ('example-app', $1, 'Example app', 'sdk', '{}', '{}', '1', now())`,
    [accountId],
  );
  await db.query(
    `INSERT INTO links (link_uuid, app_id, account_id, link_type, status, single_use, emailed,
       livemode, max_attempts, required_proofs, requested_claims, policy, metadata_digests, created_by,
       reference_blind, created_at, updated_at)
     SELECT md5(n::text), 'example-app', $1, ${rare("'trust_check'", "'prescreen'")},
       ${rare("'active'", "'paused'")}, true, false, true, 3, '{phone}', '{}', '{}',
       ARRAY[sha256(n::text::bytea)], 'key', sha256(n::text::bytea), ${times}, now()
     FROM generate_series(1, $2) n`,
    [accountId, rowCount],
  );
  await db.query(
    `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, status, livemode,
       client, proofs, asked, matching, reference_blind, created_at)
     SELECT 'tc_' || n, md5(n::text), 'example-app', $1,
       ${rare("'passed'", "'in_review'")}, true, 'web', '[]',
       jsonb_build_object('link_type', ${rare("'trust_check'", "'prescreen'")}), '{}',
       sha256(n::text::bytea), ${times}
     FROM generate_series(1, $2) n`,
    [accountId, rowCount],
  );
  await db.query('VACUUM ANALYZE links, trust_checks');
});
afterAll(() => drop());

const digestOf500 = createHash('sha256').update('500').digest();
const filters = {
  links: {
    status: condition('status = $?', 'paused'),
    link_type: condition('link_type = $?', 'prescreen'),
    reference_id: condition('reference_blind = $?', digestOf500),
    metadata: condition('metadata_digests @> $?', [digestOf500]),
  },
  trust_checks: {
    status: condition('status = $?', 'in_review'),
    link_type: condition("asked->>'link_type' = $?", 'prescreen'),
    reference_id: condition('reference_blind = $?', digestOf500),
    metadata: condition(
      'link_uuid IN (SELECT link_uuid FROM listed_links WHERE account_id = 1 AND metadata_digests @> $?)',
      [digestOf500],
    ),
  },
} as const;
const cases = (['links', 'trust_checks'] as const).flatMap((table) => [
  ...Object.entries(filters[table]).map(([name, filter]) => ({
    table,
    name,
    filter,
    isRare: true,
  })),
  {
    table,
    name: 'created_after and created_before',
    filter: condition('created_at > $? AND created_at < $?', '2026-01-05', '2026-01-06'),
    isRare: false,
  },
]);

describe('a page of a large list', () => {
  it.each(cases)('of $table by $name reads few rows beyond those it returns', async (given) => {
    const { table, filter, isRare } = given;
    // A list of links belongs to an app.
    const scope =
      table === 'links'
        ? condition('account_id = $? AND app_id = $?', accountId, 'example-app')
        : condition('account_id = $?', accountId);
    for (const order of ['ASC', 'DESC'] as const) {
      const list: FilteredList = {
        table,
        id: table === 'links' ? 'link_uuid' : 'link_session_id',
        where: [scope, filter],
        reach: fullReach,
        order,
        limit,
        from: { offset: 0 },
      };
      const { rows, total } = await listFiltered(db, list);
      expect(rows.length).toBe(Math.min(total, limit));
      expect(total).toBeGreaterThan(0);
      const pageOnly = (text: string): boolean => text.startsWith('SELECT *');
      const nodes = await plansOf(
        db,
        (on) =>
          listFiltered(
            {
              query: (query: { text: string }) =>
                pageOnly(query.text)
                  ? (on.query as (asked: unknown) => unknown)(query)
                  : Promise.resolve({ rows: [] }),
            } as never,
            list,
          ),
        'run',
      );
      // A bitmap of rare rows reads each of them; a common filter reads the page by its index.
      const bound = isRare ? 3 * (total + limit) : 3 * limit;
      expect(readOf(nodes, table), order).toBeLessThanOrEqual(bound);
      expect(bound).toBeLessThan(rowCount / 10);
    }
  });
});
