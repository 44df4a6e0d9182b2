import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Threads } from './pool.ts';

const retryMs = 30_000;

export interface WarmReaders {
  /** Whether a thread has loaded and run everything that reads photographs and faces. */
  readonly isWarm: () => boolean;
  readonly stop: () => void;
}

/**
 * Warms up a reading thread, again every 30 seconds while that fails. Other work is not blocked.
 */
export function warmReaders({
  threads,
  log,
}: {
  readonly threads: Pick<Threads, 'readersReady'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
}): WarmReaders {
  const end = new AbortController();
  let isWarm = false;
  const warm = async (): Promise<void> => {
    while (!isWarm && !end.signal.aborted) {
      try {
        await threads.readersReady();
        isWarm = true;
        log.info('photographs and faces can be read');
      } catch (err) {
        if (end.signal.aborted) return;
        log.error({ err }, 'photographs and faces cannot be read; tried again in 30 s');
        await sleep(retryMs, null, { signal: end.signal, ref: false }).catch(() => undefined);
      }
    }
  };
  void warm();
  return { isWarm: () => isWarm, stop: () => end.abort() };
}
