import { threadId } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { packed, type CarriedFault } from '../../../activities/runtime/threads/carried-fault.ts';
import { Failure } from '../../../workflows/failures.ts';

interface Asked {
  readonly name: string;
  readonly given: readonly [{ readonly title: string }];
}
type Answer = { readonly value: unknown } | { readonly fault: CarriedFault };

const ways: Readonly<Record<string, () => unknown>> = {
  'runs out of memory': () => {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, at) => `${kept.length}-${at}`));
  },
  exits: () => process.exit(7),
  'throws outside of its task': async () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    await sleep(600_000);
  },
  spins: () => {
    for (;;) if (Date.now() === 0) break;
  },
  'answers with a failure': () => {
    const cause = Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' });
    throw new Failure('affidavit_invalid', { detail: 'the words', retryAfterSeconds: 7, cause });
  },
  'answers with an error of the system': () => {
    throw Object.assign(new TypeError('full'), { code: 'ENOSPC', syscall: 'write' });
  },
  'answers with what is no error': () => {
    throw Object.assign(Object.create(null), { toString: () => 'a text' });
  },
  'tells its surroundings': () => new TextEncoder().encode(JSON.stringify(process.env)),
};

/** A thread that ends or throws in the requested way. */
export async function performed(task: Asked | null): Promise<Answer> {
  try {
    if (task?.name === 'takeDocument') return { value: threadId };
    if (task?.name === 'takeFaces') return { value: await ways['spins']?.() };
    return { value: task && (await ways[task.given[0].title]?.()) };
  } catch (error) {
    return { fault: packed(error) };
  }
}
