import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullReach, type Db, type Queryable } from '../../../db/client.ts';
import { condition, type Condition } from '../../../db/queries/filtered-list.ts';
import { listLinks, type LinkSearch } from '../../../db/queries/link-lists.ts';
import { addAccount } from '../../../db/queries/seeding.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { plansOf } from '../rights/plans.ts';

let db: Db;
let drop: () => Promise<void>;
let accountId: number;
const linkCount = 4_000;
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

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
       words_blind, created_at, updated_at)
     SELECT md5(n::text), 'example-app', $1, 'trust_check', 'active', true, false, true, 3, '{phone}',
       '{}', '{}', 'key', ARRAY['confirm', 'you', n::text], now(), now()
     FROM generate_series(1, $2) n`,
    [accountId, linkCount],
  );
  await db.query('VACUUM ANALYZE links');
});
afterAll(() => drop());

/** Digests stand for words; the id of a link is derived from its number. */
const searchFor = (number: number): LinkSearch => ({
  pattern: '%you are%',
  words: ['confirm', String(number)],
});
const search = (on: Queryable, sought: LinkSearch, where: readonly Condition[] = []) =>
  listLinks(
    on,
    { kind: 'app', accountId, appId: 'example-app' },
    { search: sought, reach: fullReach, where, order: 'DESC', limit: 26, from: { offset: 0 } },
  );

describe('searches in the links of a large account', () => {
  it('use the index also after PostgreSQL switches to a generic plan', async () => {
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
      // More rounds than PostgreSQL plans a prepared statement for its values.
      for (let round = 0; round < 10; round += 1) {
        const { rows, total } = await search(client, searchFor(linkCount - round));
        expect([rows.length, total]).toEqual([1, 1]);
      }
      expect(await scansOf('links_search')).toBeGreaterThanOrEqual(before + 20);
    } finally {
      client.release();
    }
  });

  it('find word digests and parts of ids in one index', async () => {
    const byId = { pattern: `%${md5('7').slice(4, 24)}%`, words: null };
    expect((await search(db, byId)).total).toBe(1);
    expect((await search(db, { pattern: '%you are%', words: null })).total).toBe(0);
    for (const filters of [[], [condition('status = $?', 'active')]]) {
      const nodes = await plansOf(db, (on) => search(on, searchFor(7), filters), 'custom');
      const scans = nodes.filter((node) => node['Index Name'] === 'links_search');
      const conditions = scans.map((node) => node['Index Cond'] ?? '');
      // For a page and a count: each has one scan for words and one for the id.
      expect(conditions.filter((text) => text.includes('words_blind @>'))).toHaveLength(2);
      expect(conditions.filter((text) => text.includes('~~*'))).toHaveLength(2);
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    }
  });
});
