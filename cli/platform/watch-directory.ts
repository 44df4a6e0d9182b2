import { statSync } from 'node:fs';
import type { Ledger } from './ledger.ts';

/** Shorter than the pause before an ended part is started again, into a directory made anew. */
const lookMs = 200;

/**
 * Calls once when a directory is gone, when another one is in its place, or when the lock in it is
 * no longer ours: nothing could find what runs there any more. Gives what ends the watch.
 */
export function watchDirectory(path: string, ledger: Ledger, onGone: () => void): () => void {
  const first = identityOf(path);
  const timer = setInterval(() => {
    if (identityOf(path) === first && ledger.isHeld()) return;
    clearInterval(timer);
    onGone();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}
