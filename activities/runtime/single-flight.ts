import { uncanceled } from './cancellation.ts';

/**
 * Returns a function that runs `ask` at most once at a time. Concurrent callers share its result.
 * Canceling the activity of the first caller does not abort it.
 */
export function singleFlight<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= uncanceled(ask).finally(() => (running = null)));
}
