import { keyStatusRefreshId } from '../../../workflows/key-status-refresh/messages.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { trustListRefreshId } from '../../../workflows/trust-list-refresh/messages.ts';
import type { Scenario, Stage } from '../scenario.ts';

/**
 * The fetching of lists, as schedules start it; the recording's platform has none of States, and
 * an empty one of revoked keys.
 */
export const trustListScenarios: readonly Scenario[] = [
  {
    type: 'trustListRefresh',
    scenario: 'refreshed',
    play: (stage) => refreshed(stage, 'trustListRefresh', trustListRefreshId),
    ends: { taken: 0, unchanged: 0, refused: 0 },
  },
  {
    type: 'keyStatusRefresh',
    scenario: 'refreshed',
    play: (stage) => refreshed(stage, 'keyStatusRefresh', keyStatusRefreshId),
    ends: { listed: 0, revoked: 0 },
  },
];

async function refreshed({ client }: Stage, type: string, id: string): Promise<string> {
  const workflowId = `${id}-recorded`;
  await client.workflow.start(type, { workflowId, taskQueue: taskQueues.core, args: [] });
  return workflowId;
}
