import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Piscina } from 'piscina';
import { cancellation } from '../../activities/runtime/cancellation.ts';
import { unpacked } from '../../activities/runtime/threads/carried-fault.ts';
import { ThreadLost } from '../../activities/runtime/threads/thread-lost.ts';
import { Failure } from '../../workflows/failures.ts';
import type { HeavyWork } from './heavy-work.ts';
import type { Done, Task } from './thread.ts';
import type { ThreadRole } from './warm-up.ts';

export interface ThreadsOptions {
  readonly threadsMax: number;
  /** Called when an idle thread has died. */
  readonly onBroken: (error: unknown) => void;
  readonly heapMbMax?: number;
  /** A longer task ends together with its thread. Less than the timeout of its activity. */
  readonly taskMsMax?: number;
  /** Module that the threads run. Tests replace it to see how threads end. */
  readonly entry?: URL;
}

export interface Threads extends HeavyWork {
  /** Resolves when all threads that make documents are warm. @throws ThreadLost */
  ready(): Promise<void>;
  /** Resolves when one thread that reads photographs is warm. @throws ThreadLost */
  readersReady(): Promise<void>;
  /** Ends the threads, with their tasks. */
  stop(): Promise<void>;
}

/** Measured: 80 MB with all fonts, libraries and a long affidavit; 64 MB is still enough. */
const heapMbUsual = 256;
const taskMsUsual = 50_000;
/**
 * The queue has as many slots as there are threads, so more tasks wait only while threads are
 * replaced.
 */
const waitingPerThreadMax = 4;

/**
 * Share of reading threads. Decoders of photographs use memory that a thread's limit does not
 * bound, and free none: measured, 330 MB per thread, and 210 MB more for a hostile image. One
 * thread is always warm, since a cold one takes 1.5 s more. The others start on demand.
 */
const readersShare = 0.5;
/** Idle time after which a reading thread ends and frees its memory. One thread always stays. */
const readerIdleMs = 10 * 60_000;

interface Sizes {
  readonly minThreads: number;
  readonly maxThreads: number;
  readonly idleTimeout?: number;
}

/** Environment of a thread: only the folder of the compile cache, which threads do not inherit. */
function compiledHere(): Readonly<Record<string, string>> {
  // Node.js appends a folder of its own version to the configured one.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Starts threads for CPU-bound work, each with a bounded heap. All threads that make documents
 * start at once, and one that reads photographs. Dead threads are replaced. Threads get no keys,
 * and only the compile cache folder from the environment.
 * Faults of the work are thrown unchanged, a `Failure` with its code.
 * @throws ThreadLost if the thread dies or the task takes too long
 * @throws Failure `dependency_unavailable` if too many tasks wait
 * @throws AbortError if the caller's `cancellation` signal aborts; its thread ends, too
 */
export function createThreads(options: ThreadsOptions): Threads {
  const { threadsMax, onBroken, entry = new URL('thread.ts', import.meta.url) } = options;
  const { heapMbMax = heapMbUsual, taskMsMax = taskMsUsual } = options;
  const poolOf = (role: ThreadRole, sizes: Sizes) => {
    const pool = new Piscina({
      filename: entry.href,
      name: 'performed',
      // An idle thread in its event loop ends cleanly. Waking it costs microseconds.
      atomics: 'disabled',
      recordTiming: false,
      env: compiledHere(),
      workerData: role,
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
      ...sizes,
    });
    pool.on('error', onBroken);
    return { pool, waitingMax: sizes.maxThreads * waitingPerThreadMax };
  };
  const makers = poolOf('maker', { minThreads: threadsMax, maxThreads: threadsMax });
  const readers = poolOf('reader', {
    minThreads: 1,
    maxThreads: Math.max(1, Math.trunc(threadsMax * readersShare)),
    idleTimeout: readerIdleMs,
  });

  async function ask<Value>(task: Task | null, { pool, waitingMax } = makers): Promise<Value> {
    if (pool.queueSize >= waitingMax) {
      throw new Failure('dependency_unavailable', { detail: 'All threads are busy' });
    }
    const late = AbortSignal.timeout(taskMsMax);
    const unwanted = cancellation.getStore();
    const signal = unwanted ? AbortSignal.any([unwanted, late]) : late;
    const running: Promise<Done<Value>> = pool.run(task, { signal });
    const done = await running.catch((cause: unknown) => {
      if (unwanted?.aborted) throw cause;
      const when = late.aborted ? `after ${taskMsMax} ms` : 'at its task';
      throw new ThreadLost(`a thread was lost ${when}`, { cause, isLate: late.aborted });
    });
    if ('fault' in done) throw unpacked(done.fault);
    return done.value;
  }
  return {
    renderAffidavit: (...given) => ask({ name: 'renderAffidavit', given }),
    renderReport: (...given) => ask({ name: 'renderReport', given }),
    // Copied into a buffer of its own, since the thread would get the whole underlying memory.
    verifyAffidavit: (file, ...others) =>
      ask({ name: 'verifyAffidavit', given: [new Uint8Array(file), ...others] }),
    takeDocument: ({ front, back }) => {
      const alone = { front: new Uint8Array(front), back: back && new Uint8Array(back) };
      return ask({ name: 'takeDocument', given: [alone] }, readers);
    },
    takeFaces: ({ portrait, frames }) => {
      const alone = {
        portrait: new Uint8Array(portrait),
        frames: frames.map(({ image }) => ({ image: new Uint8Array(image) })),
      };
      return ask({ name: 'takeFaces', given: [alone] }, readers);
    },
    takePhoto: (portrait) => ask({ name: 'takePhoto', given: [new Uint8Array(portrait)] }, readers),
    takeLogo: (image) => ask({ name: 'takeLogo', given: [new Uint8Array(image)] }, readers),
    ready: async () => {
      await Promise.all(Array.from({ length: threadsMax }, () => ask(null)));
    },
    readersReady: () => ask(null, readers),
    stop: async () => {
      await Promise.all([makers.pool.destroy(), readers.pool.destroy()]);
    },
  };
}
