import { losses } from '../../../activities/runtime/threads/losses.ts';

/** Runs work as an activity does that has lost so many threads before. */
export function havingLost<Value>(before: number, work: () => Promise<Value>): Promise<Value> {
  let lost = before;
  return losses.run({ add: () => (lost += 1) }, work);
}
