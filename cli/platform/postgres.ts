import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseUrls } from '../../db/migrating/create-database.ts';
import { reasonOf } from '../command-line/reason.ts';
import { administrationUrl, createDevelopmentDatabase } from '../data-directory/database-urls.ts';
import { everyProcess } from './identity.ts';
import { postgresMark, runs } from './platform-processes.ts';
import { freePort } from './ports.ts';
import { openCluster, type ClusterOptions } from './postgres-cluster.ts';
import { startPart, tailOf, waitUntil, type Part, type PartOptions } from './processes.ts';

export interface RunningServer extends Part {
  /** URL of the superuser. */
  readonly url: string;
}

export interface RunningPostgres extends RunningServer {
  readonly urls: DatabaseUrls;
}

export type PostgresOptions = ClusterOptions &
  Pick<PartOptions, 'logFile' | 'onSpawn'> & {
    /** Default: a free port. */
    readonly port?: number | undefined;
  };

const launchesMax = 20;
const relaunchMs = 250;
const connectMsMax = 15_000;
const answerMsMax = 1_000;
/** Error codes that do not change by waiting: wrong password, unknown role, unknown database. */
const final = new Set(['28P01', '28000', '3D000']);

/** Starts a PostgreSQL server with the database and the roles of the platform. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const server = await startServer(options);
  const url = server.url.replace(/\/[^/]*$/, `/trustcheck`);
  const urls = await createDevelopmentDatabase(url).catch(async (cause: unknown) => {
    await server.stop();
    throw new Error(`PostgreSQL did not start: ${reasonOf(cause)}`, { cause });
  });
  return { ...server, url, urls };
}

/**
 * Starts the PostgreSQL server of the npm package on 127.0.0.1, with a password. Creates its
 * cluster if there is none. `url` leads to the database `postgres`.
 */
export async function startServer(options: PostgresOptions): Promise<RunningServer> {
  const { dataDir, logFile } = options;
  const { command, password } = await openCluster(options);
  const port = options.port ?? (await freePort());
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const settings = [
    `--${postgresMark(dataDir)}`,
    '--listen_addresses=127.0.0.1',
    '--unix_socket_directories=',
    '--max_connections=200',
    '--logging_collector=off',
    // The statement of an error may contain personal data.
    '--log_error_verbosity=terse',
    '--log_min_error_statement=panic',
    // A commit survives a kill of the server, not of the machine. Full page writes stay on, because
    // a kill may leave a page half written.
    ...(options.isThrowaway ? ['--fsync=off'] : []),
  ];
  for (let attempt = 1; ; attempt += 1) {
    await removeForeignPid(dataDir);
    try {
      const part = await startPart({
        ...options,
        // Started directly: pg_ctl returns before the server is ready, and hides its messages.
        ...command('postgres', ['-D', dataDir, '-p', `${port}`, ...settings]),
        name: 'postgres',
        title: 'PostgreSQL',
        cwd: '/',
        ports: [port],
        isReady: () => answers(url),
        stopSignal: 'SIGINT',
      });
      return { ...part, url };
    } catch (error) {
      // The backends of a killed server keep its shared memory for a moment.
      const isHeld = tailOf(logFile, 5).includes('shared memory block');
      if (!isHeld || attempt === launchesMax) throw error;
      await sleep(relaunchMs);
    }
  }
}

/**
 * Waits for an external server.
 * @throws a one-line error without the password
 */
export async function awaitPostgres(url: string, msMax = connectMsMax): Promise<void> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error('DATABASE_ADMIN_URL is not a postgres:// address');
  }
  const { host, pathname } = new URL(url);
  await waitUntil(() => answers(administrationUrl(url)), msMax).catch((cause: unknown) => {
    const way = 'start or mend it, or unset DATABASE_ADMIN_URL to have one of our own';
    const where = `${host}${pathname} (DATABASE_ADMIN_URL)`;
    throw new Error(`PostgreSQL at ${where}: ${reasonOf(cause)}; ${way}`, { cause });
  });
}

/**
 * Removes a foreign pid file. PostgreSQL replaces a pid file if its process is gone, but refuses to
 * start if another program has the pid.
 */
async function removeForeignPid(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  const found = everyProcess().find((each) => each.pid === pid);
  const isServer = found && runs(found.words, 'postgres') && found.words.includes(dataDir);
  if (found && !isServer) await rm(file, { force: true });
}

/** Runs a query, because a server may accept a connection and then stop responding. */
async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    if (final.has(String(Object(error).code))) throw error;
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
