import { uncanceled } from './cancellation.ts';

/**
 * Runs a question at most once at a time: callers that come meanwhile wait for its answer. It goes
 * on when the activity of the first caller is canceled.
 */
export function singleFlight<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= uncanceled(ask).finally(() => (running = null)));
}
