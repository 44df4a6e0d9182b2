import { createHash } from 'node:crypto';
import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import type { TrustListSources } from '../../activities/proofs/passport/activities.ts';
import type { ObjectStore } from '../../activities/storage/object-store.ts';
import {
  createPublishedLists,
  type PublishedLists,
} from '../../activities/vendors/published-lists.ts';
import { archiveRenewalId, fromTheFirstDue } from '../../workflows/archive-renewal/messages.ts';
import { keyStatusRefreshId } from '../../workflows/key-status-refresh/messages.ts';
import { prescreenRollupId, type RollupInput } from '../../workflows/prescreen-rollup/messages.ts';
import { fromTheFirstCheck, retentionId } from '../../workflows/retention/messages.ts';
import { flowKindKey } from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { trustListRefreshId } from '../../workflows/trust-list-refresh/messages.ts';
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

/** What is to be kept for no time at all is removed within ten minutes of the affidavit. */
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

/** What waits for a list of revocations is archived minutes after there is one. */
const renewing: ScheduleOptions = {
  scheduleId: archiveRenewalId,
  spec: { intervals: [{ every: '10m' }] },
  policies: { overlap: 'SKIP', catchupWindow: '10m' },
  action: {
    type: 'startWorkflow',
    workflowType: 'archiveRenewal',
    workflowId: archiveRenewalId,
    taskQueue: taskQueues.core,
    args: [fromTheFirstDue],
    workflowExecutionTimeout: '24h',
    staticSummary: 'Affidavits are archived before their time stamps end',
    typedSearchAttributes: [{ key: flowKindKey, value: 'archiveRenewal' }],
  },
};

/** Where nobody has said what to fetch it ends at once. */
const trustLists = {
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
} as const satisfies ScheduleOptions;

/** A key that is stolen is good until its list says so: more often than what States publish. */
const keyStatus: ScheduleOptions = {
  scheduleId: keyStatusRefreshId,
  spec: { intervals: [{ every: '1h' }] },
  policies: { overlap: 'SKIP', catchupWindow: '10m' },
  state: { triggerImmediately: true },
  action: {
    type: 'startWorkflow',
    workflowType: 'keyStatusRefresh',
    workflowId: keyStatusRefreshId,
    taskQueue: taskQueues.core,
    args: [],
    workflowExecutionTimeout: '55m',
    staticSummary: 'The list of revoked Android keys is fetched',
    typedSearchAttributes: [{ key: flowKindKey, value: 'keyStatusRefresh' }],
  },
};

/** Which addresses the lists were last fetched from, as the schedule remembers it. */
const addressesKey = 'addresses';

/** The schedule of these addresses: what it starts says of which ones it is. */
export function trustListsOf({ masterList, crlUrls }: TrustListSources): ScheduleOptions {
  const addresses = [masterList?.url ?? '', ...crlUrls.toSorted()].join('\n');
  const digest = createHash('sha256').update(addresses).digest('hex');
  return { ...trustLists, action: { ...trustLists.action, memo: { [addressesKey]: digest } } };
}

export interface ScheduleDeps {
  readonly client: Client;
  readonly kept: { readonly listSources: TrustListSources; readonly store: ObjectStore };
  readonly clock: () => Date;
}

/** By then the workers of a deployment before have ended. */
const lookAgainMs = 10 * 60_000;

/**
 * Keeps the schedules of the platform at the workflow server: made when they are not there, as this
 * build has them otherwise; whether one is paused is the operator's. Once a process. What the
 * settings name otherwise than when it was last kept is done at once: new addresses of published
 * lists wait for no interval. Since a worker with the settings of before may have taken that, it is
 * looked once more, minutes later, whether there is something of each.
 */
export function scheduleRepairs({ client, kept, clock }: ScheduleDeps): Outbox {
  const schedules = [prescreening, retaining, renewing, trustListsOf(kept.listSources), keyStatus];
  const lists = createPublishedLists(kept.store);
  let looksAt: number | null = null;
  return {
    channel: null,
    countedAs: null,
    drain: async () => {
      const now = clock().getTime();
      if (looksAt !== null && now < looksAt) return;
      if (looksAt !== null) {
        await refetchMissing(client, trustListRefreshId, kept.listSources, lists);
        looksAt = Infinity;
        return;
      }
      await client.withDeadline(Date.now() + deadlineMs, async () => {
        for (const schedule of schedules) await keepSchedule(client, schedule);
      });
      looksAt = now + lookAgainMs;
    },
  };
}

/** Has the lists fetched again where an address has none, after what runs and may not know it. */
export async function refetchMissing(
  client: Client,
  scheduleId: string,
  { masterList, crlUrls }: TrustListSources,
  lists: Pick<PublishedLists, 'of'>,
): Promise<void> {
  for (const url of [...(masterList ? [masterList.url] : []), ...crlUrls]) {
    if ((await lists.of(url)) !== null) continue;
    await client.withDeadline(Date.now() + deadlineMs, () =>
      client.schedule.getHandle(scheduleId).trigger(ScheduleOverlapPolicy.BUFFER_ONE),
    );
    return;
  }
}

/**
 * Makes a schedule, or what there is of it as it is given. One whose addresses were others starts
 * at once; first that, since nobody would know of it after the update.
 */
export async function keepSchedule(client: Client, schedule: ScheduleOptions): Promise<void> {
  try {
    await client.schedule.create(schedule);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = schedule;
    const handle = client.schedule.getHandle(schedule.scheduleId);
    const { action: before } = await handle.describe();
    // Several workers that start at once may each do it. What runs may know the addresses of before
    // alone: it is not started beside that, and once after it.
    if (before.memo?.[addressesKey] !== action.memo?.[addressesKey])
      await handle.trigger(ScheduleOverlapPolicy.BUFFER_ONE);
    await handle.update(({ state }) => ({ spec, action, state, ...(policies && { policies }) }));
  }
}
