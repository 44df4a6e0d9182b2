import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDirectory } from './cache.ts';
import { AlreadyRunning, openLedger, type Ledger } from './ledger.ts';
import { reasonOf } from './reason.ts';

const lookMs = 250;

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

/**
 * Gets something into the cache once: of several processes one does, the others wait for it. Throws
 * one line where the cache cannot be written to.
 */
export async function getOnce<T>(getting: Getting<T>): Promise<T> {
  const { cache, name, say, signal } = getting;
  for (let isSaid = false; ; isSaid = true) {
    signal?.throwIfAborted();
    const found = await getting.find();
    if (found !== null) return found;
    const ledger = await openLedger(join(cache, `${name}.lock`)).catch((error: unknown) => {
      if (!(error instanceof AlreadyRunning)) throw notKept(getting, error);
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

function notKept({ cache, name }: Pick<Getting<unknown>, 'cache' | 'name'>, cause: unknown): Error {
  const way = cache === cacheDirectory() ? '; set XDG_CACHE_HOME' : '';
  return new Error(`${name} cannot be kept in ${cache} (${reasonOf(cause)})${way}`, { cause });
}
