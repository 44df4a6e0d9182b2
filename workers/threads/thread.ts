import { workerData } from 'node:worker_threads';
import { packed, type CarriedFault } from '../../activities/runtime/threads/carried-fault.ts';
import { doneHere, type HeavyWork } from './heavy-work.ts';
import { warmUp } from './warm-up.ts';

/** What a thread is asked to do: a name of the work, and what it is given. */
export type Task = {
  readonly [Name in keyof HeavyWork]: {
    readonly name: Name;
    readonly given: Parameters<HeavyWork[Name]>;
  };
}[keyof HeavyWork];

/** What a thread answers. */
export type Done<Value> = { readonly value: Value } | { readonly fault: CarriedFault };

/** Does one task; a fault is an answer, since a thrown error would lose its code on the way. */
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

/** What the pool calls, once the thread is warm: the first task waits for no fonts or networks. */
export const performed = warmUp(workerData).then(() => perform);
