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
  /** Told of a thread that ended while it was at no task. */
  readonly onBroken: (error: unknown) => void;
  readonly heapMbMax?: number;
  /** A task that takes longer ends with its thread; less than its activity may take. */
  readonly taskMsMax?: number;
  /** What the threads run; tests of how threads end have another one. */
  readonly entry?: URL;
}

export interface Threads extends HeavyWork {
  /** Resolves when all threads that make documents are warm. @throws ThreadLost */
  ready(): Promise<void>;
  /** Resolves when one thread that reads photographs is warm. @throws ThreadLost */
  readersReady(): Promise<void>;
  /** Ends the threads, whatever they are at. */
  stop(): Promise<void>;
}

/** Measured: 80 MB with all fonts, libraries and a long affidavit; it goes on in 64. */
const heapMbUsual = 256;
const taskMsUsual = 50_000;
/** The slots of the queue are as many as threads: more waits only while threads are replaced. */
const waitingPerThreadMax = 4;

/**
 * Decoders of photographs take memory that no limit of a thread binds, and give none back:
 * measured, 330 MB a thread, and 210 MB more for an image made to take much. So only half of as
 * many threads read as make documents. One is always warm, since a cold one takes 1.5 s more; the
 * others begin when there is something to read.
 */
const readersShare = 0.5;
/** Idle time after which a reading thread ends and frees its memory; one always stays. */
const readerIdleMs = 10 * 60_000;

interface Sizes {
  readonly minThreads: number;
  readonly maxThreads: number;
  readonly idleTimeout?: number;
}

/** Where the process keeps what it compiled: a thread asks again by a variable of its own. */
function compiledHere(): Readonly<Record<string, string>> {
  // Node names the folder of its own version in the one that was given.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Threads that do heavy work, each on a bounded heap of its own. Those that make documents begin at
 * once, of those that read photographs one does. They are replaced when they die. They get no keys,
 * and of the environment only where compiled code is kept. A fault of the work is thrown as it was,
 * a `Failure` with its code; besides there are `ThreadLost`, `dependency_unavailable` where too
 * much waits already, and an `AbortError` where nobody wants the work any more (`cancellation`),
 * whose thread ends with it.
 */
export function createThreads(options: ThreadsOptions): Threads {
  const { threadsMax, onBroken, entry = new URL('thread.ts', import.meta.url) } = options;
  const { heapMbMax = heapMbUsual, taskMsMax = taskMsUsual } = options;
  const poolOf = (role: ThreadRole, sizes: Sizes) => {
    const pool = new Piscina({
      filename: entry.href,
      name: 'performed',
      // What sleeps in its event loop ends orderly; waking it costs microseconds.
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
    // Alone: what else lies in the memory that a buffer was cut from would be copied with it.
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
