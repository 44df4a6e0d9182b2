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

/** A rollup skips its turn while another runs. The next one makes up for missed ones. */
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

/** Images with a retention time of zero are removed within ten minutes of the affidavit. */
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

/** An affidavit that waits for a revocation list is archived minutes after the list appears. */
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

/** Without configured sources the workflow ends at once. */
const trustLists = {
  scheduleId: trustListRefreshId,
  spec: { intervals: [{ every: '6h' }] },
  policies: { overlap: 'SKIP', catchupWindow: '1h' },
  // A new platform has no lists yet, so its first fetch does not wait six hours.
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

/** A stolen key is trusted until the list names it, so this runs more often than `trustLists`. */
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

/** Memo key: digest of the addresses that the workflows of the schedule fetch from. */
const addressesKey = 'addresses';

/** Returns the schedule for these addresses. The memo of its workflows identifies them. */
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

/** Workers of the previous deployment have ended by then. */
const lookAgainMs = 10 * 60_000;

/**
 * Creates the schedules of the platform on the Temporal server, or updates them to the options of
 * this build; a schedule that an operator paused stays paused. Runs once per process. New addresses
 * of published lists are fetched at once. A worker with the earlier settings may run that fetch, so
 * minutes later any list that is still missing is fetched again.
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

/**
 * Triggers a fetch if an address has no list yet. A running fetch may not include it, so the new
 * one runs after that.
 */
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
 * Creates a schedule, or updates the existing one. A schedule with changed addresses is triggered
 * at once, and before the update: the update removes the trace of the change.
 */
export async function keepSchedule(client: Client, schedule: ScheduleOptions): Promise<void> {
  try {
    await client.schedule.create(schedule);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = schedule;
    const handle = client.schedule.getHandle(schedule.scheduleId);
    const { action: before } = await handle.describe();
    // Several starting workers may each trigger it. A running fetch may use only the earlier
    // addresses, so one more run starts after it.
    if (before.memo?.[addressesKey] !== action.memo?.[addressesKey])
      await handle.trigger(ScheduleOverlapPolicy.BUFFER_ONE);
    await handle.update(({ state }) => ({ spec, action, state, ...(policies && { policies }) }));
  }
}
