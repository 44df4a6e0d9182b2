import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db, Queryable } from '../../db/client.ts';
import {
  countLogs,
  listLogKeys,
  logSources,
  type LogQuery,
  type LogScope,
  type LogWindow,
} from '../../db/queries/logs.ts';
import { createDatabase, eventually } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';
import { fillLogs, type FilledLogs } from './fill-logs.ts';

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
 * The cost of an index alone hangs on how many pages are known to be visible to all, and a pass
 * leaves out what anything else that reads the database holds.
 */
async function vacuum(): Promise<boolean> {
  const names = ['meetings', 'meeting_participants', 'trust_checks'];
  await db.query(`VACUUM ANALYZE ${names.join()}`);
  const { rows } = await db.query<{ left: number }>(
    `SELECT sum(relpages - relallvisible)::int AS left FROM pg_class
     WHERE relname = ANY($1) AND relkind = 'r'`,
    [names],
  );
  return rows[0]?.left === 0;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** How the statements are planned that a query sends: for its values, or once for all values. */
async function plansOf(
  ask: (on: Queryable) => Promise<unknown>,
  way: 'custom' | 'generic',
): Promise<Plan[]> {
  const plans: Plan[] = [];
  const explain = async ({ text, values }: { text: string; values: unknown[] }) => {
    const explained =
      way === 'custom'
        ? await db.query(`EXPLAIN (FORMAT JSON) ${text}`, values)
        : await db.query(`EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${text}`);
    const [{ Plan: plan }] = explained.rows[0]['QUERY PLAN'] as [{ Plan: Plan }];
    plans.push(plan);
    return { rows: [] };
  };
  await ask({ query: explain } as unknown as Queryable);
  return plans.flatMap(nodesOf);
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
const query = (scope: LogScope): LogQuery => ({ scope, sources: logSources, search: null });

describe('logs', () => {
  it.each(['custom', 'generic'] as const)('are read in order from indexes, %s', async (way) => {
    const after: LogWindow = {
      limit: 26,
      from: { at: new Date(filled.middle), source: 'trust_check', id: 'tc' },
    };
    for (const [name, scope, indexes] of scopes()) {
      for (const window of [first, far, after]) {
        const nodes = await plansOf((on) => listLogKeys(on, query(scope), window), way);
        const types = nodes.map((node) => node['Node Type']);
        const about = `${name}, ${way}: ${types.join()}`;
        // What comes of the indexes is in order, and cut to the page before it is merged.
        const sorted = nodes.filter((node) => node['Node Type'] === 'Sort');
        expect(sorted.map(({ Plans }) => Plans?.[0]?.['Node Type'] === 'Append')).not.toContain(
          false,
        );
        expect(types, about).not.toContain('Seq Scan');
        expect(types, about).not.toContain('Bitmap Heap Scan');
        const used = new Set(nodes.flatMap((node) => node['Index Name'] ?? []));
        expect([...used].sort(), about).toEqual(indexes);
      }
    }
  });

  it('are counted from indexes', async () => {
    for (const [name, scope, indexes] of scopes()) {
      const nodes = await plansOf((on) => countLogs(on, query(scope)), 'custom');
      const types = nodes.map((node) => node['Node Type']);
      expect(types, `${name}: ${types.join()}`).not.toContain('Seq Scan');
      const used = nodes.flatMap((node) => node['Index Name'] ?? []);
      expect(used.length, name).toBeGreaterThanOrEqual(indexes.length);
    }
  });

  it('are searched for a rare text by its index, for a frequent one along the time', async () => {
    const { accountId } = filled;
    const scope: LogScope = { kind: 'account', accountId };
    const searching = (text: string): LogQuery => ({
      ...query(scope),
      search: { pattern: `%${text}%`, text, names: new Map([[accountId, ['none']]]) },
    });
    const indexesOf = async (text: string): Promise<string[]> => {
      const nodes = await plansOf((on) => listLogKeys(on, searching(text), first), 'custom');
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      return [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))].sort();
    };
    expect(await indexesOf(filled.rare)).toEqual(
      expect.arrayContaining([
        'meetings_names',
        'meetings_search',
        'trust_checks_names',
        'trust_checks_search',
      ]),
    );
    expect(await indexesOf(filled.frequent)).toEqual(['meetings_account', 'trust_checks_account']);
  });
});
