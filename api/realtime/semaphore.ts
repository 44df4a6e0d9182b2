import { Failure } from '../../workflows/failures.ts';

/** Does work when it is its turn; throws `dependency_unavailable` when that does not come. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

interface TurnsOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

/**
 * Lets so much work run at once and the rest wait for it in order, so many and so long: what all
 * sockets ask of the database leaves connections for everybody else.
 */
export function createSemaphore({ atOnceMax, waitingMax, waitMsMax }: TurnsOptions): Semaphore {
  let running = 0;
  /** In the order in which they came. */
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
