import { randomIds } from '../../../db/ids.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { startLogoServer } from '../../support/stand-ins/logo-server.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** Logos of apps, as the API has them fetched. */
export const logoScenarios: readonly Scenario[] = [
  {
    type: 'logoFetch',
    scenario: 'fetched',
    play: (stage) => fetchLogo(stage, '/square.webp'),
    ends: {},
  },
  {
    type: 'logoFetch',
    scenario: 'refused',
    play: (stage) => fetchLogo(stage, '/logo.svg'),
    ends: { refusal: 'wrong_type' },
  },
];

async function fetchLogo({ client, facts }: Stage, path: string): Promise<string> {
  const logos = await startLogoServer();
  const workflowId = `logo-fetch/${randomIds.uuid()}`;
  try {
    const request = { account_id: facts.own.account_id, url: `${logos.url}${path}` };
    const start = { workflowId, taskQueue: taskQueues.core, args: [request] };
    await client.workflow.execute('logoFetch', start);
  } finally {
    await logos.stop();
  }
  return workflowId;
}
