import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clearDrafts, draftFor, passwordCopyOf } from './postgres-drafts.ts';
import { placeFor, type PlaceOptions, type PostgresPlace } from './postgres-place.ts';
import { noteDirectory, passwordFile } from './postgres-roots-place.ts';

export interface ClusterOptions extends PlaceOptions {
  /** For tests: nothing is flushed to disk. */
  readonly isThrowaway?: boolean | undefined;
  /** The user to run as instead of root, as whom the server refuses to run. */
  readonly uid?: number | undefined;
}

export interface Cluster extends PostgresPlace {
  /** Who the server runs as, when not as ourselves. */
  readonly uid: number | undefined;
  readonly password: string;
}

/** The superuser of the server. */
export const clusterUser = 'postgres';
export const databaseName = 'trustcheck';
const nobody = 65_534;

/**
 * The cluster of a data directory, made when there is none; as root it belongs to whoever owns it
 * already, or to nobody. Throws one line when another major version has made it.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const password = await passwordFor(options.dataDir);
  const place = await placeFor(options);
  const owner = (await fs.stat(place.cluster).catch(() => null))?.uid;
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot ? owner || (options.uid ?? nobody) : undefined;
  const cluster = { ...place, password, uid };
  const made = await fs.readFile(join(place.cluster, 'PG_VERSION'), 'utf8').catch(() => null);
  if (made === null) await initialize(cluster, options);
  else if (made.trim() !== place.major) {
    const way = 'set DATABASE_ADMIN_URL to a server of that version, or forget it: npm run reset';
    throw new Error(
      `${place.cluster} was made by PostgreSQL ${made.trim()}, this is ${place.major}: ${way}`,
    );
  }
  await noteDirectory(place.cluster, options.dataDir);
  return cluster;
}

async function passwordFor(dataDir: string): Promise<string> {
  const path = passwordFile(dataDir);
  await fs.mkdir(dirname(path), { recursive: true });
  const made = randomBytes(18).toString('base64url');
  await fs.writeFile(path, made, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  return fs.readFile(path, 'utf8');
}

/** The cluster appears whole or not at all: one half made would never start. */
async function initialize(cluster: Cluster, options: ClusterOptions): Promise<void> {
  const { dataDir, isThrowaway } = options;
  await clearDrafts(dataDir);
  const draft = draftFor(cluster.cluster);
  const passwordCopy = passwordCopyOf(draft);
  await fs.mkdir(draft, { recursive: true, mode: 0o700 });
  await fs.writeFile(passwordCopy, cluster.password, { mode: 0o600 });
  if (cluster.uid !== undefined) {
    for (const path of [draft, passwordCopy]) await fs.chown(path, cluster.uid, cluster.uid);
  }
  const flags = ['-D', draft, '-U', clusterUser, '--auth=scram-sha-256'];
  flags.push(`--pwfile=${passwordCopy}`, '--encoding=UTF8', '--locale=C');
  if (isThrowaway) flags.push('--no-sync');
  try {
    await run(cluster, 'initdb', flags);
    await fs.rename(draft, cluster.cluster);
  } finally {
    await fs.rm(passwordCopy, { force: true });
    await fs.rm(draft, { recursive: true, force: true });
  }
}

async function run(cluster: Cluster, program: string, flags: string[]): Promise<void> {
  const child = spawn(join(cluster.native, 'bin', program), flags, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...(cluster.uid === undefined ? {} : { uid: cluster.uid, gid: cluster.uid }),
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => output.push(part));
  child.stderr.on('data', (part: Buffer) => output.push(part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} failed:\n${Buffer.concat(output).toString()}`);
}
