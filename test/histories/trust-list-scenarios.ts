import { taskQueues } from '../../workflows/task-queues.ts';
import { trustListRefreshId } from '../../workflows/trust-list-refresh/messages.ts';
import type { Scenario, Stage } from './scenario.ts';

/** The fetching of lists, as its schedule starts it; the recording's platform has none to fetch. */
export const trustListScenarios: readonly Scenario[] = [
  {
    type: 'trustListRefresh',
    scenario: 'refreshed',
    play: refreshed,
    ends: { taken: 0, unchanged: 0, refused: 0 },
  },
];

async function refreshed(stage: Stage): Promise<string> {
  const workflowId = `${trustListRefreshId}-recorded`;
  await stage.client.workflow.start('trustListRefresh', {
    workflowId,
    taskQueue: taskQueues.core,
    args: [],
  });
  return workflowId;
}
