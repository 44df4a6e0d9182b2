import { Failure } from '../../workflows/failures.ts';

/**
 * Runs work when its turn comes.
 * @throws Failure `dependency_unavailable` if the queue is full or the wait too long
 */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

interface TurnsOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

/**
 * Limits how much work runs at once. The rest waits in order, with a maximum number and time. So
 * the queries of all sockets leave database connections for other work.
 */
export function createSemaphore({ atOnceMax, waitingMax, waitMsMax }: TurnsOptions): Semaphore {
  let running = 0;
  /** In order of arrival. */
  const waiting = new Set<() => void>();
  const begin = async (): Promise<void> => {
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (waiting.size >= waitingMax) throw tooMuch();
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(go);
        reject(tooMuch());
      }, waitMsMax);
      waiting.add(go);
    });
  };
  const pass = (): void => {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return async (work) => {
    await begin();
    try {
      return await work();
    } finally {
      pass();
    }
  };
}

function tooMuch(): Failure {
  return new Failure('dependency_unavailable', { retryAfterSeconds: 2 });
}
