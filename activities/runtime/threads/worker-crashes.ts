import { Context } from '@temporalio/activity';
import { z } from 'zod';

const reported = z.object({ lost_threads: z.int().min(0) });
const losses = new WeakMap<Context, number>();

/** Heartbeat of an activity. It carries the count of lost threads to the next attempt. */
export function heartbeatWithCrashes(context: Context): void {
  context.heartbeat({ lost_threads: lossesOf(context) });
}

/**
 * Counts a thread that the running activity has lost, and reports the count at once.
 * @returns the threads lost in this attempt and in the attempts before it
 * @throws IllegalStateError outside of an activity
 */
export function countWorkerCrash(): number {
  const context = Context.current();
  const lost = lossesOf(context) + 1;
  losses.set(context, lost);
  heartbeatWithCrashes(context);
  return lost;
}

function lossesOf(context: Context): number {
  const before = reported.safeParse(context.info.heartbeatDetails).data?.lost_threads;
  return losses.get(context) ?? before ?? 0;
}
