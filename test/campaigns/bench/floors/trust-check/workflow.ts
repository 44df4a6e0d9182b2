import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { outcomeKey } from '../../../../../workflows/search-attributes.ts';
import type { FloorActivities } from './activities.ts';

const { take, judge, decide } = proxyLocalActivities<FloorActivities>({
  startToCloseTimeout: '10s',
});

export const moveUpdate = defineUpdate<number, [string]>('move');
export const submitUpdate = defineUpdate<number, [string]>('submit');

/** The floor of P3: the updates, steps, timer and attribute of a trust check, and nothing in them. */
export async function floorCheck(input: { proofs: number; deadlineMs: number }): Promise<number> {
  let left = input.proofs;
  setHandler(moveUpdate, async (_name) => {
    await take();
    return left;
  });
  setHandler(submitUpdate, async (_name) => {
    await judge();
    left -= 1;
    if (left === 0) await decide();
    return left;
  });
  await condition(() => left === 0, input.deadlineMs);
  await condition(allHandlersFinished);
  upsertSearchAttributes([{ key: outcomeKey, value: 'passed' }]);
  return left;
}
