import {
  prescreenRollupId,
  type RollupInput,
} from '../../../workflows/prescreen-rollup/messages.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { newLink, type Scenario, type Stage } from '../scenario.ts';

/** The counting of prescreening, as its schedule starts it. */
export const prescreenScenarios: readonly Scenario[] = [
  { type: 'prescreenRollup', scenario: 'rolled', play: rolled, ends: { days: 1 } },
];

async function rolled(stage: Stage): Promise<string> {
  await newLink(stage, { link_type: 'prescreen', single_use: true });
  const workflowId = `${prescreenRollupId}-recorded`;
  const fromTheFirst: RollupInput = { after_account_id: 0, days: 0 };
  await stage.client.workflow.start('prescreenRollup', {
    workflowId,
    taskQueue: taskQueues.core,
    args: [fromTheFirst],
  });
  return workflowId;
}
