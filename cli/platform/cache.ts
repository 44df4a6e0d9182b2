import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { environment } from '../environment.ts';

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

/** Where Node keeps compiled code: a service starts in two thirds of the time. */
export function compiledDirectory(): string {
  return join(cacheDirectory(), 'compiled');
}

/** Whether there is a cache, or one can be made. */
export function hasCache(): boolean {
  try {
    makeDirectory(cacheDirectory());
    return true;
  } catch {
    return false;
  }
}

/** Makes a directory and its parents. `mkdir` of Node with `recursive` never returns in /proc. */
export function makeDirectory(path: string): void {
  if (!existsSync(path)) execFileSync('/bin/mkdir', ['-p', path], { stdio: 'pipe' });
}

/** A dozen clones' worth, some 300 MB. */
const compiledMax = 50_000;

/** Empties the compiled code once it is too much: Node makes it again. */
export async function boundCompiled(
  directory = compiledDirectory(),
  filesMax = compiledMax,
): Promise<void> {
  const files = await readdir(directory, { recursive: true }).catch(() => []);
  if (files.length <= filesMax) return;
  // Another start may write to it or empty it at the same time.
  await rm(directory, { recursive: true, force: true }).catch(() => undefined);
}
