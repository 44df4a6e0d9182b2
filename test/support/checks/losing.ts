import { activityEnvironment } from './activity-environment.ts';

/** Runs `work` as an activity with earlier attempts that lost `before` threads. */
export function havingLost<Value>(before: number, work: () => Promise<Value>): Promise<Value> {
  return activityEnvironment({ heartbeatDetails: { lost_threads: before } }).run(work);
}
