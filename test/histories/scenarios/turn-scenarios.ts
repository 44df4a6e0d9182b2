import * as messages from '../../../workflows/trust-check/messages.ts';
import { acceptInTurn, restartWithShortTasks } from '../../support/checks/turns.ts';
import { newLink, type Scenario, type Stage } from '../scenario.ts';

/** A step that comes while another is at work, and has its turn after it. */
export const turnScenarios: readonly Scenario[] = [
  {
    type: 'trustCheck',
    scenario: 'pair-waits',
    play: pairWaits,
    ends: { status: 'canceled', reason_code: 'requester_canceled' },
  },
];

/** The phone joins while the page still opens. */
async function pairWaits(stage: Stage): Promise<string> {
  const { client, db, facts } = stage;
  const { link_uuid } = await newLink(stage);
  const { link_session_id: id } = await stage.call<{ link_session_id: string }>(
    'POST',
    '/v2/trust-checks',
    { body: { link_uuid, client: 'web' } },
  );
  const { account_id } = facts.own;
  const handle = await restartWithShortTasks(client, { link_session_id: id, account_id });
  const { before, step } = await acceptInTurn(db, handle, id, {
    first: messages.openUpdate,
    firstArgs: [{}],
    update: messages.pairUpdate,
    args: [{ device_id: null, poly_user_id: null }],
  });
  await before.result();
  await step.result();
  await handle.executeUpdate(messages.cancelUpdate, { args: [{ reason: 'requester_canceled' }] });
  return handle.workflowId;
}
