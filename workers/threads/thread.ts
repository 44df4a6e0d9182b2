import { workerData } from 'node:worker_threads';
import { packed, type CarriedFault } from '../../activities/runtime/threads/carried-fault.ts';
import { doneHere, type HeavyWork } from './heavy-work.ts';
import { warmUp } from './warm-up.ts';

/** A task of a thread: the name of the work and its arguments. */
export type Task = {
  readonly [Name in keyof HeavyWork]: {
    readonly name: Name;
    readonly given: Parameters<HeavyWork[Name]>;
  };
}[keyof HeavyWork];

/** The answer of a thread. */
export type Done<Value> = { readonly value: Value } | { readonly fault: CarriedFault };

/** Runs one task. Faults are returned, since a thrown error would lose its code between threads. */
async function perform(task: Task | null): Promise<Done<unknown>> {
  try {
    return { value: task && (await outcomeOf(task)) };
  } catch (error) {
    return { fault: packed(error) };
  }
}

function outcomeOf({ name, given }: Task): Promise<unknown> {
  if (name === 'renderAffidavit') return doneHere.renderAffidavit(...given);
  if (name === 'verifyAffidavit') return doneHere.verifyAffidavit(...given);
  if (name === 'renderReport') return doneHere.renderReport(...given);
  if (name === 'takeFaces') return doneHere.takeFaces(...given);
  if (name === 'takePhoto') return doneHere.takePhoto(...given);
  if (name === 'takeLogo') return doneHere.takeLogo(...given);
  return doneHere.takeDocument(...given);
}

/**
 * Entry point for the pool. It resolves when the thread is warm, so the first task is not slower.
 */
export const performed = warmUp(workerData).then(() => perform);
