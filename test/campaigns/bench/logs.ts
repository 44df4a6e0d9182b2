import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../cli/platform/postgres.ts';
import { openDb, type Db } from '../../../db/client.ts';
import { migrate } from '../../../db/migrating/migrate.ts';
import { wordDigests } from '../../../db/sealing/link-texts.ts';
import { fillLogs, type FilledLogs } from '../../support/checks/fill-logs.ts';
import { endAllWithUs, endWithUs, removeWithUs } from '../../support/platform/end-with-us.ts';
import { readOptions, readRounds, wordsOf, WrongWords } from '../../support/runner/words.ts';
import { measureLogs, benchSealer } from './logs-measures.ts';
import { bounded, surroundings } from './measure/bounded.ts';
import { judgeResult, linesOf } from './measure/report.ts';

const rowsUsual = 10_000_000;
const rowsMax = 100_000_000;
const accountsUsual = 200;
const batch = 250_000;
const roundsUsual = 9;
/** Filling takes most of it: about a minute per million rows on two idle cores. */
const runMsMax = 3600_000;
const measureMsMax = 300_000;
const queryMsMax = 1800_000;

const usage = `npm run bench:logs -- [--rows N] [--accounts N] [--rounds N] [--json]
  P5: logs of ${accountsUsual} accounts of unequal size, half meetings and half checks, on a PostgreSQL of
  its own, of which nothing is left; ${rowsUsual} rows unless said otherwise take about 15 GB
`;

interface Options {
  readonly rows: number;
  readonly accounts: number;
  readonly rounds: number;
  readonly isJson: boolean;
}

function optionsOf(words: string[]): Options {
  const flags = {
    rows: { type: 'string' },
    accounts: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'boolean' },
  } as const;
  const { values, positionals } = wordsOf(words, flags);
  if (positionals.length > 0) throw new WrongWords(`${positionals[0]}: no such flag`);
  const rows = readNumber('rows', values.rows ?? String(rowsUsual), [1_000, rowsMax]);
  const accounts = readNumber('accounts', values.accounts ?? String(accountsUsual), [1, 1_000]);
  const rounds = values.rounds === undefined ? roundsUsual : readRounds(values.rounds);
  return { rows, accounts, rounds, isJson: values.json ?? false };
}

function readNumber(name: string, word: string, [min, max]: readonly [number, number]): number {
  const number = Number(word);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new WrongWords(`--${name}: a number from ${min} to ${max}`);
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs `work` on a separate server that contains the rows. */
async function onFilled(
  { rows, accounts }: Options,
  signal: AbortSignal,
  work: (db: Db, filled: FilledLogs) => Promise<void>,
): Promise<void> {
  endAllWithUs();
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-bench-'));
  removeWithUs(directory);
  const dataDir = join(directory, 'postgres');
  try {
    const logFile = join(directory, 'postgres.log');
    const postgres = await startPostgres({
      dataDir,
      logFile,
      isThrowaway: true,
      onSpawn: endWithUs,
    });
    const db = openDb(
      {
        url: postgres.url,
        connectionsMax: 10,
        applicationName: 'trustcheck-bench',
        queryTimeoutMs: queryMsMax,
      },
      () => undefined,
    );
    // Queries that still run when the bench is aborted are not awaited.
    signal.addEventListener('abort', () => void postgres.stop(), { once: true });
    try {
      await migrate(postgres.urls.owner);
      const restore = await dropIndexes(db);
      const sealer = benchSealer(db);
      const digestOf = (id: number, word: string) => wordDigests(sealer, id, [word]).join();
      const filled = await fillLogs(db, { rows, accounts, batch, digestOf }, say, signal);
      say('making the indexes …');
      await restore();
      await work(db, filled);
    } finally {
      await db.end();
      await postgres.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Drops the indexes while rows are inserted, and returns a function that creates them again. */
async function dropIndexes(db: Db): Promise<() => Promise<void>> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE NOT indisunique AND indrelid IN
       ('meetings'::regclass, 'meeting_participants'::regclass, 'trust_checks'::regclass,
        'log_entries'::regclass)`,
  );
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  return async () => {
    for (const { definition } of rows) {
      await db.query(`SET maintenance_work_mem = '1GB'; ${definition}`);
    }
    await db.query('VACUUM ANALYZE meetings, meeting_participants, trust_checks, log_entries');
  };
}

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { options } = read;
  return bounded(runMsMax, (signal) =>
    onFilled(options, signal, async (db, filled) => {
      const pace = { rounds: options.rounds, msMax: measureMsMax, signal, random: Math.random };
      const judged = judgeResult(await measureLogs(db, filled, options.rows, pace), Math.random);
      const lines = options.isJson
        ? JSON.stringify({ ...surroundings(), results: [judged] }, null, 2)
        : linesOf(judged, surroundings()).join('\n');
      process.stdout.write(`${lines}\n`);
    }),
  );
}

process.exitCode = await main();
