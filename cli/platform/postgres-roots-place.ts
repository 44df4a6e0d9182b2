import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Where root keeps what the server's own user must reach when the checkout is closed to it. */
const rootsPlace = '/var/lib/trustcheck';

/** Root trusts no directory that somebody else could have laid out or may write to. */
export async function openRootsPlace(): Promise<string> {
  await fs.mkdir(rootsPlace, { recursive: true, mode: 0o755 });
  if (await isRootsOwn()) return rootsPlace;
  throw new Error(`${rootsPlace} must be a directory that only root can write to`);
}

/** The same place where it is there and can be trusted, for root; else null. */
export async function trustedRootsPlace(): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  return (await isRootsOwn().catch(() => false)) ? rootsPlace : null;
}

async function isRootsOwn(): Promise<boolean> {
  const { uid, mode } = await fs.lstat(rootsPlace);
  return uid === 0 && (mode & 0o170_022) === 0o040_000;
}

/** The file beside a data directory that holds the password of its server. */
export function passwordFile(dataDir: string): string {
  return `${dataDir}.password`;
}

/**
 * Named by the password too: where somebody has removed the data directory by hand, or cloned anew
 * into the same folder, the next one is not given a cluster that it cannot open.
 */
export async function apartOf(dataDir: string): Promise<string> {
  const password = await fs.readFile(passwordFile(dataDir)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '';
  });
  const name = createHash('sha256').update(`${dataDir}\0`).update(password).digest('hex');
  return join(rootsPlace, `postgres-${name.slice(0, 16)}`);
}

/** What stands beside a cluster of root's and names the data directory it was made for. */
export const recordOf = (cluster: string): string => `${cluster}.directory`;

/** Notes whose a cluster is, where it lies apart: its name alone does not tell. */
export async function noteDirectory(cluster: string, dataDir: string): Promise<void> {
  if (dirname(cluster) !== rootsPlace) return;
  await fs.writeFile(recordOf(cluster), resolve(dataDir), { mode: 0o600 });
}

/** Removes a cluster, wherever it lies, with what was noted of it. */
export async function removeCluster(cluster: string): Promise<void> {
  await fs.rm(cluster, { recursive: true, force: true });
  if (dirname(cluster) === rootsPlace) await fs.rm(recordOf(cluster), { force: true });
}

export interface ApartCluster {
  readonly path: string;
  /** The data directory it was made for; null where nothing was noted of it. */
  readonly dataDir: string | null;
  /** Whether that directory would be given this cluster still. */
  readonly isWanted: boolean;
}

/** Every cluster that lies in root's place. */
export async function listApart(): Promise<ApartCluster[]> {
  const names = await fs.readdir(rootsPlace).catch(() => []);
  const found: ApartCluster[] = [];
  for (const name of names.filter((each) => /^postgres-[0-9a-f]{16}$/.test(each)).sort()) {
    const path = join(rootsPlace, name);
    const dataDir = await fs.readFile(recordOf(path), 'utf8').catch(() => null);
    const isWanted = dataDir !== null && (await apartOf(dataDir).catch(() => path)) === path;
    found.push({ path, dataDir, isWanted });
  }
  return found;
}

/** The clusters in root's place that were made for a data directory, wanted still or not. */
export async function clustersOf(dataDir: string): Promise<string[]> {
  const all = await listApart();
  return all.filter((each) => each.dataDir === resolve(dataDir)).map(({ path }) => path);
}
