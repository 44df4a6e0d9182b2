import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { keepSchedule, refetchMissing, trustListsOf } from '../../workers/outboxes/schedules.ts';
import { keyStatusRefreshId } from '../../workflows/key-status-refresh/messages.ts';
import { trustListRefreshId } from '../../workflows/trust-list-refresh/messages.ts';
import { eventually } from '../support/platform/harness.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

const lists = [
  ['passports', trustListRefreshId, 'trustListRefresh', 6, { taken: 0, unchanged: 0, refused: 0 }],
  ['Android keys', keyStatusRefreshId, 'keyStatusRefresh', 1, { listed: 1, revoked: 0 }],
] as const;

it.each(lists)('the schedule for %s refreshes the trust lists at its interval', async (...of) => {
  const [, id, workflowType, hours, counts] = of;
  const client = await connectClient();
  try {
    const schedule = client.schedule.getHandle(id);
    const { policies, action, spec } = await schedule.describe();
    // The schedule is minutes old and its interval is hours: the first run is the initial one.
    const first = async (): Promise<boolean> =>
      (await schedule.describe()).info.recentActions.length > 0;
    await eventually('the refresh at creation', first);
    expect(policies.overlap).toBe('SKIP');
    expect(action).toMatchObject({ workflowType });
    expect(spec.intervals).toEqual([expect.objectContaining({ every: hours * 3600_000 })]);
    await schedule.trigger();
    const ended = async (): Promise<boolean> => {
      const [last] = (await schedule.describe()).info.recentActions;
      if (last?.action.type !== 'startWorkflow') return false;
      const { workflowId, firstExecutionRunId } = last.action.workflow;
      const handle = client.workflow.getHandle(workflowId, firstExecutionRunId);
      expect(await handle.result()).toEqual(counts);
      return true;
    };
    await eventually('a refresh', ended);
  } finally {
    await client.connection.close();
  }
});

it('a schedule starts at once when its addresses change, and otherwise keeps its interval', async () => {
  const client = await connectClient();
  const scheduleId = `${trustListRefreshId}-${randomUUID()}`;
  const schedule = client.schedule.getHandle(scheduleId);
  const keep = async (...crlUrls: string[]): Promise<void> => {
    const { action, state: _, ...options } = trustListsOf({ masterList: null, crlUrls });
    await keepSchedule(client, {
      ...options,
      scheduleId,
      action: { ...action, workflowId: scheduleId },
    });
  };
  const started = async (): Promise<number> => (await schedule.describe()).info.numActionsTaken;
  try {
    await keep('file:///a', 'file:///b');
    await keep('file:///b', 'file:///a');
    expect(await started()).toBe(0);
    await keep('file:///b', 'file:///c');
    await eventually('a refresh from other addresses', async () => (await started()) === 1);
    await keep('file:///b', 'file:///c');
    expect(await started()).toBe(1);
    // A running refresh is awaited, and not counted as this one.
    await keep();
    await eventually('a refresh from none', async () => (await started()) === 2);
    // A refresh by an older worker, which did not know /c.
    const lists = { of: async (url: string) => (url === 'file:///c' ? null : Buffer.from(url)) };
    const look = (...crlUrls: string[]) =>
      refetchMissing(client, scheduleId, { masterList: null, crlUrls }, lists);
    await look('file:///b');
    expect(await started()).toBe(2);
    await look('file:///b', 'file:///c');
    await eventually('a refresh of what is missing', async () => (await started()) === 3);
  } finally {
    await schedule.delete();
    await client.connection.close();
  }
});
