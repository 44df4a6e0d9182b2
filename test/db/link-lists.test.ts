import { fullReach, type Db } from '../../db/client.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listLinks } from '../../db/queries/link-lists.ts';
import { addAccount } from '../../db/queries/seeding.ts';
import { createDatabase } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';

let db: Db;
let drop: () => Promise<void>;
let accountId: number;
const linkCount = 4_000;

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
       livemode, max_attempts, required_proofs, requested_claims, policy, created_by,
       title, created_at, updated_at)
     SELECT md5(n::text), 'example-app', $1, 'trust_check', 'active', true, false, true, 3, '{phone}',
       '{}', '{}', 'key', 'Confirm who you are ' || n, now(), now()
     FROM generate_series(1, $2) n`,
    [accountId, linkCount],
  );
  await db.query('VACUUM ANALYZE links');
});
afterAll(() => drop());

describe('links of a large account', () => {
  it('are found by their index, not one by one', async () => {
    const client = await db.connect();
    const scansOf = async (index: string): Promise<number> => {
      await client.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await client.query<{ scans: number }>(
        'SELECT idx_scan::int AS scans FROM pg_stat_user_indexes WHERE indexrelname = $1',
        [index],
      );
      return rows[0]?.scans ?? 0;
    };
    try {
      const before = await scansOf('links_search');
      // More often than PostgreSQL plans a statement for its values: the last have one plan for all.
      for (let round = 0; round < 10; round += 1) {
        const { rows, total } = await listLinks(
          client,
          { kind: 'app', accountId, appId: 'example-app' },
          {
            pattern: `%YOU ARE ${linkCount - round}%`,
            reach: fullReach,
            where: [],
            order: 'DESC',
            limit: 26,
            from: { offset: 0 },
          },
        );
        expect([rows.length, total]).toEqual([1, 1]);
      }
      expect(await scansOf('links_search')).toBeGreaterThanOrEqual(before + 10);
    } finally {
      client.release();
    }
  });
});
