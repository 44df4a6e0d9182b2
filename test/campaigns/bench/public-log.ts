import { appendToLog } from '../../../activities/transparency/append.ts';
import { statement, transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { logSize } from '../../../db/queries/transparency.ts';
import { entryOf } from '../../../domain/transparency/entry.ts';
import { leafHash } from '../../../domain/transparency/merkle.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import type { Bench, BenchContext } from './measure/bench.ts';
import type { BenchResult } from './measure/judge.ts';
import { alternate } from './measure/rounds.ts';
import { median } from './measure/statistics.ts';

/** P9: an entry of the public log compared with one bare insert, each in its own transaction. */
export const publicLogBench: Bench = { id: 'P9', rounds: 9, run };

const appends = 50;
const goalMs = 5;
const leaves = 100_000;

const bare = statement('bench.bare_entry', 'INSERT INTO bench_entries (entry) VALUES ($1)');

async function run({ platform, pace }: BenchContext): Promise<BenchResult> {
  const { db, drop } = await createDatabase(platform.facts.databaseUrl);
  try {
    await db.query('CREATE TABLE bench_entries (index bigserial PRIMARY KEY, entry text NOT NULL)');
    const sides = {
      floor: () => msEach((at) => transaction(db, (tx) => bare(tx, [entryOf(some(at))]))),
      candidate: () =>
        msEach((at) => transaction(db, (tx) => appendToLog(tx, some(at), new Date()))),
    };
    // Warms both sides up before the first round.
    await sides.floor();
    await sides.candidate();
    const first = await alternate(sides, pace);
    await fill(db);
    const full = await alternate(sides, pace);
    const goal = { of: 'candidate', max: goalMs } as const;
    return {
      id: 'P9',
      title: 'public log',
      extent: `${first.floor.length} rounds of ${appends} entries`,
      measures: [
        { name: 'an entry, log nearly empty', unit: 'ms', ...first, goal },
        { name: 'an entry beyond 100,000', unit: 'ms', ...full, goal },
      ],
      counts: [{ name: 'entries at the end', value: await logSize(db) }],
    };
  } finally {
    await drop();
  }
}

const some = (place: number) => ({
  affidavit_id: randomIds.make('aff'),
  sha256: leafHash(String(place)).toString('hex'),
  sealed_at: new Date(),
});

/** Returns the median time of sequential calls. */
async function msEach(act: (place: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let place = 0; place < appends; place += 1) {
    const began = performance.now();
    await act(place);
    times.push(performance.now() - began);
  }
  return median(times);
}

/** Inserts the entries of several years with their completed subtrees in one statement. */
async function fill(db: Db): Promise<void> {
  const size = await logSize(db);
  await transaction(db, async (tx) => {
    await tx.query("SET LOCAL statement_timeout = '120s'");
    await tx.query(
      `INSERT INTO transparency_entries (index, affidavit_id, entry, created_at)
       SELECT n, 'aff_fill_' || n, 'x', now() FROM generate_series($1::bigint, $2::bigint) n`,
      [size, leaves - 1],
    );
    // A proof reads the filled nodes only as siblings, so any hash works.
    await tx.query(
      `INSERT INTO transparency_nodes (level, index, hash)
       SELECT level, n, sha256('x') FROM generate_series(0, 16) level,
         LATERAL generate_series(0::bigint, ($1 >> level) - 1) n
       ON CONFLICT DO NOTHING`,
      [leaves],
    );
  });
}
