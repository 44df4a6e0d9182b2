import { homedir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../../api/config.ts';

/** Where programs that took minutes to get are kept, outside the repository, once a machine. */
export function cacheDirectory(): string {
  const base = environment()['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'trustcheck');
}
