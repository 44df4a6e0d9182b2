import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../command-line/reason.ts';
import { environment } from '../environment.ts';

const endsMax = 3;
const withinMs = 60_000;
const pauseMs = 500;
/** Shorter than `pauseMs`, so that no part restarts after its directory is gone. */
const lookMs = 200;

interface KeepUp<P> {
  readonly name: string;
  readonly launch: () => Promise<P>;
  /** Aborted when the part is to end. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Called with the last reason if the part ended too often within a minute. */
  readonly onBroken: (error: Error) => void;
}

/** Starts a part, and restarts it whenever it ends before the signal. Returns the first one. */
export async function keepUp<P extends { readonly ended: Promise<void> }>(
  options: KeepUp<P>,
): Promise<P> {
  const { name, launch, signal, say, onBroken } = options;
  let ends: number[] = [];
  const relaunch = async (reason = ''): Promise<void> => {
    const now = Date.now();
    ends = [...ends.filter((at) => now - at < withinMs), now];
    // The cause may be ending the whole platform.
    await sleep(pauseMs);
    if (signal.aborted) return;
    if (ends.length > endsMax) {
      return onBroken(new Error(`${name} has ended ${ends.length} times in a minute${reason}`));
    }
    say(`${name} has ended unasked; starting it again`);
    const part = await launch().catch((error: unknown) => `\n${reasonOf(error)}`);
    if (typeof part === 'string') return relaunch(part);
    void part.ended.then(() => relaunch());
  };
  const first = await launch();
  void first.ended.then(() => relaunch());
  return first;
}

/**
 * Calls `onGone` once when a file is removed or replaced. Returns a function that ends the watch.
 */
export function watchFile(path: string, onGone: () => void): () => void {
  const inode = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
  const first = inode();
  return watch(() => inode() === first, onGone);
}

/** Calls `onGone` once when the process in TRUSTCHECK_STARTER is no longer the parent. */
export function watchStarter(onGone: () => void): () => void {
  const starter = Number(environment()['TRUSTCHECK_STARTER']);
  return watch(() => !starter || process.ppid === starter, onGone);
}

function watch(holds: () => boolean, onEnd: () => void): () => void {
  const timer = setInterval(() => {
    if (holds()) return;
    clearInterval(timer);
    onEnd();
  }, lookMs).unref();
  return () => clearInterval(timer);
}
