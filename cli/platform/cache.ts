import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { environment } from '../environment.ts';
import { makeDirectory } from './make-directory.ts';

/** Where programs that took minutes to get are kept, outside the repository, once a machine. */
export function cacheDirectory(): string {
  const named = environment()['XDG_CACHE_HOME'] ?? '';
  // XDG Base Directory: a relative path is to be ignored. HOME may be set to nothing.
  const base = isAbsolute(named) ? named : join(homedir() || userInfo().homedir, '.cache');
  return join(base, 'trustcheck');
}

/** Where workers keep the workflow bundles they made. */
export function bundlesDirectory(): string {
  return join(cacheDirectory(), 'bundles');
}

/**
 * Whether there is a cache, or one can be made. A place below /proc hangs a Node that is given it;
 * without one all is only slower.
 */
export function hasCache(): boolean {
  try {
    makeDirectory(cacheDirectory());
    return true;
  } catch {
    return false;
  }
}

/**
 * Where Node keeps what it compiled of our programs: a service starts in two thirds of the time.
 */
export function compiledDirectory(): string {
  return join(cacheDirectory(), 'compiled');
}

/** A dozen clones' worth, some 300 MB. */
const compiledMax = 50_000;
const unusedMsMax = 30 * 24 * 3600_000;
const discarded = 'discarded-';

/**
 * Empties what Node keeps of each of its versions once that is too much, or nothing was added to it
 * for a month: files are named by what they were compiled from, none says when it was last of use,
 * and all are made again. A folder is taken away whole by one of those who would, and who still
 * writes to it goes on without. Gives how many were taken.
 */
export async function boundCompiled(
  now: Date,
  directory = compiledDirectory(),
  filesMax = compiledMax,
): Promise<number> {
  let taken = 0;
  for (const name of await readdir(directory).catch(() => [])) {
    const folder = join(directory, name);
    const gone = join(directory, `${discarded}${randomUUID()}`);
    try {
      const isLeft = name.startsWith(discarded);
      const { mtimeMs } = await stat(folder);
      const isUnused = now.getTime() - mtimeMs > unusedMsMax;
      if (!isLeft && !isUnused && (await readdir(folder)).length <= filesMax) continue;
      await rename(folder, gone);
      await rm(gone, { recursive: true, force: true });
      taken += 1;
    } catch {
      // Somebody else has just taken it, or it may not be: then it only stays.
    }
  }
  return taken;
}
