import * as messages from '../../workflows/trust-check/messages.ts';
import { letInDuringCatchUp, restartWithShortTasks } from '../turns.ts';
import { newLink, type Scenario, type Stage } from './scenario.ts';

/** A step that comes while another is at work, and has its turn after it. */
export const turnScenarios: readonly Scenario[] = [
  {
    type: 'trustCheck',
    scenario: 'pair-waits',
    play: pairWaits,
    ends: { status: 'canceled', reason_code: 'requester_canceled' },
  },
];

/** The phone is let in while the workflow catches up with its record. */
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
  await handle.executeUpdate(messages.openUpdate, { args: [{}] });
  const pairing = { device_id: null, poly_user_id: null };
  const paired = await letInDuringCatchUp(db, handle, id, messages.pairUpdate, [pairing]);
  const { caughtUp, step } = paired;
  await caughtUp.result();
  await step.result();
  await handle.executeUpdate(messages.cancelUpdate, { args: [{ reason: 'requester_canceled' }] });
  return handle.workflowId;
}
