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
