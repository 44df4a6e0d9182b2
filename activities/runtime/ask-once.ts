/** A question put once at a time: whoever asks while it is under way waits for its answer. */
export function askOnce<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= ask().finally(() => (running = null)));
}
