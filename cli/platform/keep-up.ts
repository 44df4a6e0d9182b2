import { setTimeout as sleep } from 'node:timers/promises';

export interface Part {
  /** Comes true when it is gone, asked or not. */
  readonly ended: Promise<void>;
}

export interface KeepUp {
  readonly name: string;
  /** Starts it again where it was: whoever uses it finds it at the same address. */
  readonly launch: () => Promise<Part>;
  /** Aborted when its end is wanted. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const endsMax = 3;
const withinMs = 60_000;
const pauseMs = 500;

/**
 * Starts a part again whenever it ends unasked. Throws, with the last reason, when it has ended too
 * often in a minute.
 */
export async function keepUp(first: Part, options: KeepUp): Promise<void> {
  const { name, launch, signal, say } = options;
  let ends: number[] = [];
  let part: Part | null = first;
  let reason: unknown;
  for (;;) {
    await part?.ended;
    if (signal.aborted) return;
    const now = Date.now();
    ends = [...ends.filter((at) => now - at < withinMs), now];
    if (ends.length > endsMax) {
      const why = reason instanceof Error ? `\n${reason.message}` : '';
      throw new Error(`${name} has ended ${ends.length} times in a minute${why}`);
    }
    // Whatever ended it may be about to end everything.
    await sleep(pauseMs);
    if (signal.aborted) return;
    say(`${name} has ended unasked; starting it again`);
    part = await launch().catch((error: unknown) => {
      reason = error;
      return null;
    });
  }
}
