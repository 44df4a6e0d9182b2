import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The cancellation signal of the running activity; none in the API and in commands. It is kept here,
 * since the API runs the same clients of vendors and loads no `@temporalio/activity`.
 */
export const cancellation = new AsyncLocalStorage<AbortSignal>();

/** Returns a signal that aborts after this time, or earlier when the activity is canceled. */
export function deadline(timeoutMs: number): AbortSignal {
  const late = AbortSignal.timeout(timeoutMs);
  const canceled = cancellation.getStore();
  return canceled ? AbortSignal.any([canceled, late]) : late;
}

/**
 * Stops a canceled activity where the code would go on without what an aborted request did not give.
 * @throws CancelledFailure
 */
export function throwIfCanceled(): void {
  cancellation.getStore()?.throwIfAborted();
}

/** Runs work that a cancellation must not abort: others wait for its result, or it removes a rest. */
export function uncanceled<Value>(work: () => Value): Value {
  return cancellation.exit(work);
}
