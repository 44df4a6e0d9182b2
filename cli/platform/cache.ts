import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { environment } from '../environment.ts';

/**
 * Returns the directory for programs that take minutes to get. It is outside the repository, one
 * per user and machine.
 */
export function cacheDirectory(): string {
  const named = environment()['XDG_CACHE_HOME'] ?? '';
  // XDG Base Directory: ignore a relative path. HOME may be empty.
  const base = isAbsolute(named) ? named : join(homedir() || userInfo().homedir, '.cache');
  return join(base, 'trustcheck');
}

/** Returns the directory where workers cache workflow bundles. */
export function bundlesDirectory(): string {
  return join(cacheDirectory(), 'bundles');
}

/**
 * Returns the directory for Node's compile cache, which shortens the start of a service by a third.
 */
export function compiledDirectory(): string {
  return join(cacheDirectory(), 'compiled');
}

/** Returns true if the cache directory exists or can be created. */
export function hasCache(): boolean {
  try {
    makeDirectory(cacheDirectory());
    return true;
  } catch {
    return false;
  }
}

/** Creates a directory and its parents. Node's `mkdir` with `recursive` never returns in /proc. */
export function makeDirectory(path: string): void {
  if (!existsSync(path)) execFileSync('/bin/mkdir', ['-p', path], { stdio: 'pipe' });
}

/** About twelve clones, some 300 MB. */
const compiledMax = 50_000;

/** Empties the compile cache when it is too large; Node fills it again. */
export async function boundCompiled(
  directory = compiledDirectory(),
  filesMax = compiledMax,
): Promise<void> {
  const files = await readdir(directory, { recursive: true }).catch(() => []);
  if (files.length <= filesMax) return;
  // Another start may write to it or empty it at the same time.
  await rm(directory, { recursive: true, force: true }).catch(() => undefined);
}
