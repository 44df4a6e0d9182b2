import type { ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { isSilence } from '../../db/migrating/ask-bounded.ts';
import type { DatabaseUrls } from '../../db/migrating/create-database.ts';
import { administrationUrl, createDevelopmentDatabase } from './database-urls.ts';
import { beginningOf, commandOf } from './identity.ts';
import { awaitFree, freePort } from './ports.ts';
import {
  clusterUser,
  databaseName,
  openCluster,
  type Cluster,
  type ClusterOptions,
} from './postgres-cluster.ts';
import { passwordFile } from './postgres-roots-place.ts';
import * as processes from './processes.ts';
import { reasonOf } from './reason.ts';

export interface RunningPostgres {
  /** Of the superuser. */
  readonly url: string;
  readonly urls: DatabaseUrls;
  readonly pid: number;
  /** Comes true when the server is gone, asked or not. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** `dataDir` is where the cluster lies; as root it may lie where the server's user can reach it. */
export interface PostgresOptions extends ClusterOptions {
  readonly logFile: string;
  /** A free one when left out. */
  readonly port?: number | undefined;
  readonly onSpawn?: processes.OnSpawn | undefined;
}

const startMsMax = 60_000;
const launchesMax = 20;
const givenMsMax = 15_000;
const answerMsMax = 1_000;
/**
 * Codes of an answer that no waiting will change: wrong password, no such role, no such database.
 */
const final = new Set(['28P01', '28000', '3D000']);

/**
 * Starts the PostgreSQL server that npm has brought, on 127.0.0.1 and with a password, in a cluster
 * that is made when there is none. Whatever a `kill -9` has left of an earlier server is cleared.
 * Throws with the last lines of the server's log.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const server = await startServer(options);
  const url = server.url.replace(/\/[^/]*$/, `/${databaseName}`);
  const urls = await createDevelopmentDatabase(url).catch(async (cause: unknown) => {
    await server.stop();
    throw failure(options, cause);
  });
  return { ...server, url, urls };
}

/** The same without a database and roles of the platform; `url` leads to `postgres`. */
export async function startServer(
  options: PostgresOptions,
): Promise<Omit<RunningPostgres, 'urls'>> {
  const cluster = await openCluster(options);
  const port = options.port ?? (await freePort());
  const url = `postgres://${clusterUser}:${cluster.password}@127.0.0.1:${port}/postgres`;
  const server = await launchUntilReady(cluster, port, url, options);
  return {
    url,
    pid: server.pid ?? 0,
    ended: processes.endOf(server),
    stop: () => processes.stopProcess(server, 'SIGINT'),
  };
}

/** Waits for a server that is not ours. Throws one line without the password. */
export async function awaitPostgres(url: string, msMax = givenMsMax): Promise<void> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error('DATABASE_ADMIN_URL is not a postgres:// address');
  }
  const { host, pathname } = new URL(url);
  let isSilent = false;
  const noteSilence = (is: boolean): void => {
    isSilent = is;
  };
  await processes
    .waitUntil(() => answers(administrationUrl(url), noteSilence), msMax)
    .catch((cause: unknown) => {
      const way = 'start or mend it, or unset DATABASE_ADMIN_URL to have one of our own';
      const why = `${isSilent ? 'it is silent, ' : ''}${reasonOf(cause)}`;
      const where = `${host}${pathname}`;
      throw new Error(`PostgreSQL at ${where} (DATABASE_ADMIN_URL): ${why}; ${way}`, { cause });
    });
}

/**
 * For a moment after a kill the memory of the earlier server is still held by what it had forked,
 * and a new one refuses to start: it is started again.
 */
async function launchUntilReady(
  cluster: Cluster,
  port: number,
  url: string,
  options: PostgresOptions,
): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    await clearPid(cluster);
    await awaitFree(port).catch((cause: unknown) => {
      throw failure(options, cause);
    });
    const server = launch(cluster, port, options);
    try {
      const isGone = (): boolean => processes.hasEnded(server);
      await processes.waitUntil(() => answers(url), startMsMax, isGone);
      return server;
    } catch (cause) {
      await processes.stopProcess(server, 'SIGQUIT');
      const isHeld = processes.tailOf(options.logFile, 5).includes('shared memory block');
      if (!isHeld || attempt === launchesMax) throw failure(options, cause);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** Started directly: pg_ctl would answer before the server does, and hide what it says. */
function launch(cluster: Cluster, port: number, options: PostgresOptions): ChildProcess {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'logging_collector=off',
    // What a statement choked on is data of people.
    'log_error_verbosity=terse',
    'log_min_error_statement=panic',
    // What is committed still survives a kill, though not the machine. Pages are written in full
    // all the same: a kill may leave one half-written.
    ...(options.isThrowaway ? ['fsync=off'] : []),
  ];
  return processes.launch({
    name: 'postgres',
    program: programOf(cluster),
    flags: [...clusterFlags(cluster), '-p', `${port}`, ...settings.flatMap((line) => ['-c', line])],
    logFile: options.logFile,
    cwd: '/',
    uid: cluster.uid,
    onSpawn: options.onSpawn,
  });
}

function programOf({ native }: Cluster): string {
  return join(native, 'bin', 'postgres');
}

/** They come first: by them an earlier server of this cluster is known. */
function clusterFlags({ cluster }: Cluster): string[] {
  return ['-D', cluster];
}

/**
 * PostgreSQL steps over a pid file whose process is gone. It does not when the pid belongs to
 * another program by now, nor when an earlier server has outlived who started it: that one is
 * ended.
 */
async function clearPid(cluster: Cluster): Promise<void> {
  const file = join(cluster.cluster, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  const [command, beginning] = [commandOf(pid), beginningOf(pid)];
  if (command === null || beginning === null) return;
  const isOurs = command.includes(`/bin/postgres ${clusterFlags(cluster).join(' ')} `);
  if (isOurs) await processes.endStranger(pid, beginning, 'SIGQUIT');
  else await rm(file, { force: true });
}

/** A server may take a connection, and even greet, and fall silent: it is asked for a word more. */
async function answers(
  connectionString: string,
  noteSilence: (isSilent: boolean) => void = () => undefined,
): Promise<boolean> {
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
    if (final.has((error as { code?: string }).code ?? '')) throw error;
    noteSilence(isSilence(error));
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function failure({ logFile, dataDir }: PostgresOptions, cause: unknown): Error {
  const isForeign = (cause as { code?: string }).code === '28P01';
  const file = passwordFile(dataDir);
  const lost = `${file} is not the password of ${dataDir}: put it back, or forget both`;
  const reason = isForeign ? `${lost}: npm run reset` : reasonOf(cause);
  const tail = processes.tailOf(logFile);
  return new Error(`PostgreSQL did not start: ${reason}\n${tail}`, { cause });
}
