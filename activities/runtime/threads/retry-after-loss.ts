import { countWorkerCrash } from './worker-crashes.ts';
import { ThreadLost } from './thread-lost.ts';

/** Threads that are lost before what they read is blamed. */
const lostMax = 3;

/**
 * What a thread was asked for, or null for what ends the thread whenever it is read, while
 * something else is read as it should. Losses alone are counted, not what else made an activity try
 * again, and of them only threads that ended of themselves: a machine too busy, or one on which
 * nothing is read, is nobody's fault. Throws `ThreadLost` then, and as long as it may be chance.
 * @param other the same work on what ends no thread
 */
export async function retryAfterThreadLoss<Value>(
  work: () => Promise<Value>,
  other: () => Promise<unknown>,
): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ThreadLost) || error.isLate) throw error;
    if (countWorkerCrash() < lostMax) throw error;
    await other();
    return null;
  }
}
