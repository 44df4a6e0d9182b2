import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The cancellation signal of the running activity; none in the API and in commands. It is kept
 * here, because the API runs the same clients of vendors and loads no `@temporalio/activity`.
 */
export const cancellation = new AsyncLocalStorage<AbortSignal>();

/** Returns a signal that aborts after this time, or earlier when the activity is canceled. */
export function deadline(timeoutMs: number): AbortSignal {
  const late = AbortSignal.timeout(timeoutMs);
  const canceled = cancellation.getStore();
  return canceled ? AbortSignal.any([canceled, late]) : late;
}

/**
 * Stops a canceled activity where its code would go on without the answer to an aborted request.
 * @throws CancelledFailure
 */
export function throwIfCanceled(): void {
  cancellation.getStore()?.throwIfAborted();
}

/**
 * Runs work that a cancellation must not abort: other callers wait for its result, or it removes
 * what is left over.
 */
export function uncanceled<Value>(work: () => Value): Value {
  return cancellation.exit(work);
}
