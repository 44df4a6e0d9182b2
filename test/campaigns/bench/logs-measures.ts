import { addUp, funnelOf } from '../../../activities/trust-checks/prescreen/funnel.ts';
import { writeCursor } from '../../../api/http/fields/paging.ts';
import { listLogs } from '../../../api/logs/list.ts';
import { statement, type Db } from '../../../db/client.ts';
import { countLogs, listLogged, type LogQuery } from '../../../db/queries/logs.ts';
import { findRefreshed, listDays } from '../../../db/queries/prescreen.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { logSources } from '../../../domain/names.ts';
import type { FilledLogs } from '../../support/checks/fill-logs.ts';
import type { BenchResult } from './measure/judge.ts';
import { alternate, type Pace } from './measure/rounds.ts';
import { median, quantile } from './measure/statistics.ts';

const pageSize = 25;
const farPage = 2_000;
const callsOfRound = 40;
const farCallsOfRound = 3;
const searchRounds = 10;
const goals = { page: 4, farMs: 60, searchMs: 400, summaryMs: 5 };

/** Returns the median time of some calls in milliseconds. */
async function took(calls: number, call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let place = 0; place < calls; place += 1) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  return median(times);
}

const bare = statement(
  'bench.bare',
  `SELECT * FROM trust_checks WHERE account_id = $1 ORDER BY created_at DESC LIMIT ${pageSize}`,
);

/** P5: pages of the largest account, compared with one bare index scan of one source. */
export async function measureLogs(
  db: Db,
  filled: FilledLogs,
  rows: number,
  pace: Pace,
): Promise<BenchResult> {
  const { accountId, middle } = filled;
  const query: LogQuery = {
    scope: { kind: 'account', accountId },
    sources: logSources,
    livemode: null,
    search: null,
  };
  const sealer = benchSealer(db);
  // As the endpoint: it counts the total for every page without a cursor.
  const page = (asked: { page: number; cursor?: string }) => async (): Promise<void> => {
    await listLogs({ db, sealer }, query, { ...asked, page_size: pageSize });
  };
  const rowsAlone = async (): Promise<void> => {
    const window = { limit: pageSize + 1, from: { offset: 0 } };
    await listLogged(db, query, window);
  };
  const total = await countLogs(db, query);
  const far = Math.max(1, Math.min(farPage, Math.floor(total / pageSize)));
  const place = { at: new Date(middle), id: 'ttc', page: far, total };
  const after = page({ page: 1, cursor: writeCursor(place) });
  const floor = () => took(callsOfRound, () => bare(db, [accountId]));
  const against = (call: () => Promise<unknown>, calls = callsOfRound) =>
    alternate({ floor, candidate: () => took(calls, call) }, pace);
  // Warms both sides up before the first round.
  await took(callsOfRound, page({ page: 1 }));
  await floor();
  const measure = async (name: string, seen: ReturnType<typeof against>) =>
    ({ name, unit: 'ms', ...(await seen) }) as const;
  const measures: BenchResult['measures'] = [
    {
      ...(await measure('page 1', against(page({ page: 1 })))),
      goal: { of: 'ratio', max: goals.page },
    },
    await measure('page 1 without its total', against(rowsAlone)),
    {
      ...(await measure('after a cursor', against(after))),
      goal: { of: 'ratio', max: goals.page },
    },
    {
      ...(await measure(`page ${far}`, against(page({ page: far }), farCallsOfRound))),
      goal: { of: 'candidate', max: goals.farMs },
    },
    await measure(
      'the total',
      against(() => countLogs(db, query), farCallsOfRound),
    ),
    {
      ...(await measure('summary of 30 days', against(await summary(db, accountId)))),
      goal: { of: 'candidate', max: goals.summaryMs },
    },
  ];
  return {
    id: 'P5',
    title: `logs at ${rows} rows`,
    extent: `${measures[0]?.floor.length ?? 0} rounds, an account of ${total} rows`,
    measures,
    counts: await searches(db, filled, pace.signal),
  };
}

export const benchSealer = (db: Db) =>
  createSealer(db, masterWrapper(Buffer.alloc(32, 1)), Buffer.alloc(32, 2));

/** Returns the slowest search of each kind with its number of rows. */
async function searches(db: Db, { accountId, frequent, rare }: FilledLogs, signal: AbortSignal) {
  const sealer = benchSealer(db);
  const texts = {
    'a word of every row': frequent,
    'a rare word': rare,
    'a word that is nowhere': 'nowhere',
    'one letter': 'q',
    'two letters': 'zz',
    '200 letters': 'Subject number '.repeat(14).slice(0, 200),
    'a frequent number': '11',
    'the id of a link of every row': `link-${accountId}`,
  };
  const counts = [];
  for (const [name, search] of Object.entries(texts)) {
    const times: number[] = [];
    for (let round = 0; round < searchRounds; round += 1) {
      signal.throwIfAborted();
      const started = performance.now();
      const scope = { kind: 'account', accountId } as const;
      await listLogs(
        { db, sealer },
        { scope, livemode: null },
        { search, page: 1, page_size: pageSize },
      );
      times.push(performance.now() - started);
    }
    const value = quantile(times, 0.99);
    counts.push({ name: `search: ${name}`, value, unit: 'ms', max: goals.searchMs });
  }
  return counts;
}

/** Inserts sixty days of four postings, and returns the query that summarizes them. */
async function summary(db: Db, accountId: number): Promise<() => Promise<unknown>> {
  await db.query(
    `INSERT INTO prescreen_days (account_id, livemode, job_id, day, counts)
     SELECT $1, true, job_id, '2026-01-01'::date - n,
       (SELECT jsonb_object_agg(key, 100) FROM (
          SELECT 'total.' || b AS key FROM generate_series(1, 60) b
          UNION ALL SELECT unnest('{invited,opened,started,completed,passed}'::text[])) k)
     FROM generate_series(0, 59) n, unnest('{"",1,2,3,4}'::text[]) job_id`,
    [accountId],
  );
  const range = { from: '2025-11-03', to: '2026-01-01' };
  return async () => {
    const scope = { accountId, livemode: true, jobIds: [] };
    const [days] = await Promise.all([listDays(db, scope, range), findRefreshed(db, accountId)]);
    return funnelOf(addUp(days));
  };
}
