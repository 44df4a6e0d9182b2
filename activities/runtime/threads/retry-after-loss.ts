import { countWorkerCrash } from './worker-crashes.ts';
import { ThreadLost } from './thread-lost.ts';

/** Threads lost before the input counts as the cause. */
const lostMax = 3;

/**
 * Returns the result of the work, or null when its input ends the thread every time while other
 * input is processed. Only threads that end by themselves count: not those that time out on a busy
 * machine, and no other reason for a retry.
 * @param other the same work on input that is known to be harmless
 * @throws ThreadLost below the limit, and when `other` loses its thread too
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
