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
  /** Of the superuser. */
  readonly url: string;
}

export interface RunningPostgres extends RunningServer {
  readonly urls: DatabaseUrls;
}

export type PostgresOptions = ClusterOptions &
  Pick<PartOptions, 'logFile' | 'onSpawn'> & {
    /** A free one when left out. */
    readonly port?: number | undefined;
  };

const launchesMax = 20;
const relaunchMs = 250;
const connectMsMax = 15_000;
const answerMsMax = 1_000;
/** Codes of an answer that no waiting changes: wrong password, no such role, no such database. */
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
 * Starts the PostgreSQL server that npm has brought, on 127.0.0.1 and with a password, in a cluster
 * that is made when there is none. `url` leads to the database `postgres`.
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
    // The statement of an error may hold data of people.
    '--log_error_verbosity=terse',
    '--log_min_error_statement=panic',
    // A commit survives a kill of the server, not of the machine. Full page writes stay on: a kill
    // may leave a page half written.
    ...(options.isThrowaway ? ['--fsync=off'] : []),
  ];
  for (let attempt = 1; ; attempt += 1) {
    await removeForeignPid(dataDir);
    try {
      const part = await startPart({
        ...options,
        // Started directly: pg_ctl answers before the server does, and hides its messages.
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
      // The backends of a killed server hold its memory for a moment.
      const isHeld = tailOf(logFile, 5).includes('shared memory block');
      if (!isHeld || attempt === launchesMax) throw error;
      await sleep(relaunchMs);
    }
  }
}

/**
 * Waits for a server of another owner.
 * @throws one line without the password
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
 * PostgreSQL replaces a pid file when its process is gone. It refuses to start when another program
 * has the pid by now.
 */
async function removeForeignPid(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  const found = everyProcess().find((each) => each.pid === pid);
  const isServer = found && runs(found.words, 'postgres') && found.words.includes(dataDir);
  if (found && !isServer) await rm(file, { force: true });
}

/** A server may accept a connection and then fall silent: the answer to a query counts. */
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
