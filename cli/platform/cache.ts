import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../api/config.ts';
import { AlreadyRunning, openLedger, type Ledger } from './ledger.ts';

const lookMs = 250;

/** Where programs that took minutes to get are kept, outside the repository, once a machine. */
export function cacheDirectory(): string {
  const base = environment()['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'trustcheck');
}

/** Where workers keep the workflow bundles they made. */
export function bundlesDirectory(): string {
  return join(cacheDirectory(), 'bundles');
}

/**
 * Where Node keeps what it compiled of our programs: a service starts in two thirds of the time.
 */
export function compiledDirectory(): string {
  return join(cacheDirectory(), 'compiled');
}

export interface Getting<T> {
  readonly cache: string;
  readonly name: string;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** What is there already, or null. */
  find(): Promise<T | null>;
  /**
   * Alone at it; may have `ledger` know of its processes, which a later run ends if we are killed.
   */
  get(ledger: Ledger): Promise<T>;
}

/** Gets something into the cache once: of several processes one does, the others wait for it. */
export async function getOnce<T>(getting: Getting<T>): Promise<T> {
  const { cache, name, say, signal } = getting;
  for (let isSaid = false; ; isSaid = true) {
    signal?.throwIfAborted();
    const found = await getting.find();
    if (found !== null) return found;
    const ledger = await openLedger(join(cache, `${name}.lock`)).catch((error: unknown) => {
      if (!(error instanceof AlreadyRunning)) throw error;
      if (!isSaid) say(`process ${error.pid} is getting ${name} already; waiting for it`);
      return null;
    });
    if (ledger === null) {
      await sleep(lookMs);
      continue;
    }
    try {
      return (await getting.find()) ?? (await getting.get(ledger));
    } finally {
      await ledger.close();
    }
  }
}
