import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db, Queryable } from '../../../db/client.ts';
import type { LogScope } from '../../../db/queries/log-sources.ts';
import { countLogs, listLogged, type LogQuery, type LogWindow } from '../../../db/queries/logs.ts';
import { logSources } from '../../../domain/names.ts';
import { fillLogs, type FilledLogs } from '../../support/checks/fill-logs.ts';
import { createDatabase, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { plansOf } from '../rights/plans.ts';

let db: Db;
let drop: () => Promise<void>;
let filled: FilledLogs;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  filled = await fillLogs(db, { rows: 16_000, accounts: 4 });
  await eventually('every page is visible to all', () => vacuum());
});
afterAll(() => drop());

/**
 * The cost of an index-only scan depends on how many pages are known to be visible to all. VACUUM
 * skips rows that another open transaction may still read.
 */
async function vacuum(): Promise<boolean> {
  const names = ['meetings', 'meeting_participants', 'trust_checks', 'log_entries'];
  await db.query(`VACUUM ANALYZE ${names.join()}`);
  const { rows } = await db.query<{ left: number }>(
    `SELECT sum(relpages - relallvisible)::int AS left FROM pg_class
     WHERE relname = ANY($1) AND relkind = 'r'`,
    [names],
  );
  return rows[0]?.left === 0;
}

const scopes = (): [string, LogScope, string[]][] => {
  const { accountId, appId, polyUserId } = filled;
  const mine = ['meeting_participants_user', 'trust_checks_subject'];
  return [
    ['an account', { kind: 'account', accountId }, ['meetings_account', 'trust_checks_account']],
    ['an app', { kind: 'app', accountId, appId }, ['trust_checks_app']],
    ['a person in an account', { kind: 'person', polyUserId, accountId }, mine],
  ];
};
const first: LogWindow = { limit: 26, from: { offset: 0 } };
const far: LogWindow = { limit: 26, from: { offset: 1_000 } };
const query = (scope: LogScope): LogQuery => ({
  scope,
  sources: logSources,
  livemode: null,
  search: null,
});

describe('queries of logs', () => {
  it.each(['custom', 'generic'] as const)(
    'read pages in order from indexes, with a %s plan',
    async (way) => {
      const after: LogWindow = {
        limit: 26,
        from: { at: new Date(filled.middle), source: 'trust_check', id: 'tc' },
      };
      for (const [name, scope, indexes] of scopes()) {
        for (const window of [first, far, after]) {
          const nodes = await plansOf(db, (on) => listLogged(on, query(scope), window), way);
          const types = nodes.map((node) => node['Node Type']);
          const about = `${name}, ${way}: ${types.join()}`;
          // Index results are sorted and cut to the page before they are merged.
          const sorted = nodes.filter((node) => node['Node Type'] === 'Sort');
          expect(sorted.map(({ Plans }) => Plans?.[0]?.['Node Type'] === 'Append')).not.toContain(
            false,
          );
          expect(types, about).not.toContain('Seq Scan');
          expect(types, about).not.toContain('Bitmap Heap Scan');
          // Rows are read by primary key, only those of the page.
          const rows = ['meetings_pkey', 'trust_checks_pkey'].slice(name === 'an app' ? 1 : 0);
          const used = new Set(nodes.flatMap((node) => node['Index Name'] ?? []));
          expect([...used].sort(), about).toEqual([...indexes, ...rows].sort());
          expect(
            types.filter((type) => type.endsWith('Join')),
            about,
          ).toEqual([]);
        }
      }
    },
  );

  it('count from stored totals, and for a person from indexes', async () => {
    for (const [name, scope, indexes] of scopes()) {
      const nodes = await plansOf(db, (on) => countLogs(on, query(scope)), 'custom');
      const about = `${name}: ${nodes.map((node) => node['Node Type']).join()}`;
      const read = new Set(nodes.flatMap((node) => node['Relation Name'] ?? []));
      if (scope.kind !== 'person') {
        expect([...read], about).toEqual(['log_totals']);
        continue;
      }
      expect(about).not.toContain('Seq Scan');
      const used = nodes.flatMap((node) => node['Index Name'] ?? []);
      expect(used.length, about).toBeGreaterThanOrEqual(indexes.length);
    }
  });

  it('search texts in an index per account, and names in the index of names', async () => {
    const { accountId, appId } = filled;
    const text = filled.rare;
    const names = new Map([[accountId, ['none']]]);
    const words = new Map([[accountId, ['none']]]);
    for (const scope of [
      { kind: 'account', accountId },
      { kind: 'app', accountId, appId },
    ] as const) {
      const asked = { ...query(scope), search: { pattern: `%${text}%`, text, names, words } };
      for (const ask of [
        (on: Queryable) => listLogged(on, asked, first),
        (on: Queryable) => countLogs(on, asked),
      ]) {
        const nodes = await plansOf(db, ask, 'custom');
        const scans = nodes.filter((node) => node['Relation Name'] === 'log_entries');
        const sources = scope.kind === 'account' ? 2 : 1;
        expect(scans.map((node) => [node['Node Type'], node['Index Name']])).toEqual(
          Array.from({ length: sources }, () => ['Index Only Scan', 'log_entries_stream']),
        );
        expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
        const used = nodes.flatMap((node) => node['Index Name'] ?? []);
        expect(used).toContain('trust_checks_names');
        expect(used.includes('meetings_names')).toBe(scope.kind === 'account');
      }
    }
  });
});
