import { ScheduleAlreadyRunning, type Client, type ScheduleOptions } from '@temporalio/client';
import { prescreenRollupId, type RollupInput } from '../workflows/prescreen-rollup/messages.ts';
import { fromTheFirstCheck, retentionId } from '../workflows/retention/messages.ts';
import { flowKindKey } from '../workflows/search-attributes.ts';
import { trustListRefreshId } from '../workflows/trust-list-refresh/messages.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import type { Outbox } from './relay.ts';

const deadlineMs = 3_000;
const fromTheFirst: RollupInput = { after_account_id: 0, days: 0 };

/** What runs by the clock: one after the other, and what was missed is made up for by the next. */
const prescreening: ScheduleOptions = {
  scheduleId: prescreenRollupId,
  spec: { intervals: [{ every: '10m' }] },
  policies: { overlap: 'SKIP', catchupWindow: '10m' },
  action: {
    type: 'startWorkflow',
    workflowType: 'prescreenRollup',
    workflowId: prescreenRollupId,
    taskQueue: taskQueues.core,
    args: [fromTheFirst],
    workflowExecutionTimeout: '6h',
    staticSummary: 'Prescreening is counted by day',
    typedSearchAttributes: [{ key: flowKindKey, value: 'prescreenRollup' }],
  },
};

/** What is to be kept for no time at all is removed within five minutes of its affidavit. */
const retaining: ScheduleOptions = {
  scheduleId: retentionId,
  spec: { intervals: [{ every: '5m' }] },
  policies: { overlap: 'SKIP', catchupWindow: '5m' },
  action: {
    type: 'startWorkflow',
    workflowType: 'retention',
    workflowId: retentionId,
    taskQueue: taskQueues.core,
    args: [fromTheFirstCheck],
    workflowExecutionTimeout: '24h',
    staticSummary: 'Images that were kept long enough are removed',
    typedSearchAttributes: [{ key: flowKindKey, value: 'retention' }],
  },
};

/** Where nobody has said what to fetch it ends at once. */
const trustLists: ScheduleOptions = {
  scheduleId: trustListRefreshId,
  spec: { intervals: [{ every: '6h' }] },
  policies: { overlap: 'SKIP', catchupWindow: '1h' },
  // A new platform has no lists: it does not wait six hours for its first.
  state: { triggerImmediately: true },
  action: {
    type: 'startWorkflow',
    workflowType: 'trustListRefresh',
    workflowId: trustListRefreshId,
    taskQueue: taskQueues.core,
    args: [],
    workflowExecutionTimeout: '5h',
    staticSummary: 'Master list and CRLs are fetched',
    typedSearchAttributes: [{ key: flowKindKey, value: 'trustListRefresh' }],
  },
};

const schedules = [prescreening, retaining, trustLists];

/**
 * Keeps the schedules of the platform at the workflow server: made when they are not there, as this
 * build has them otherwise; whether one is paused is the operator's. Once a process.
 */
export function keptSchedules({ client }: { readonly client: Client }): Outbox {
  let isKept = false;
  return {
    channel: null,
    countedAs: null,
    drain: async () => {
      if (isKept) return;
      await client.withDeadline(Date.now() + deadlineMs, async () => {
        for (const schedule of schedules) await keep(client, schedule);
      });
      isKept = true;
    },
  };
}

async function keep(client: Client, schedule: ScheduleOptions): Promise<void> {
  try {
    await client.schedule.create(schedule);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = schedule;
    const handle = client.schedule.getHandle(schedule.scheduleId);
    await handle.update(({ state }) => ({ spec, action, state, ...(policies && { policies }) }));
  }
}
