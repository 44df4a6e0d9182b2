import { archiveRenewalId, fromTheFirstDue } from '../../../workflows/archive-renewal/messages.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { newLink, type Scenario, type Stage } from '../scenario.ts';

/** More affidavits are due than one step takes. */
const dueAffidavits = 60;

/** A round as its schedule starts it, over affidavits whose files are gone. */
export const renewalScenarios: readonly Scenario[] = [
  {
    type: 'archiveRenewal',
    scenario: 'failed',
    play: failed,
    ends: { renewed: 0, waiting: 0, failed: dueAffidavits },
  },
];

async function failed(stage: Stage): Promise<string> {
  const { link_uuid } = await newLink(stage);
  const { link_session_id: id } = await stage.call<{ link_session_id: string }>(
    'POST',
    '/v2/trust-checks',
    { body: { link_uuid, client: 'web' } },
  );
  await stage.db.query(
    `WITH made AS (
       INSERT INTO trust_checks SELECT (jsonb_populate_record(t, jsonb_build_object(
         'link_session_id', t.link_session_id || '-due-' || nr, 'status', 'canceled',
         'awaits_start', false))).*
       FROM trust_checks t, generate_series(1, $2::int) nr WHERE t.link_session_id = $1
       RETURNING link_session_id, account_id, app_id)
     INSERT INTO affidavits (affidavit_id, link_session_id, account_id, app_id, status, sha256,
       affidavit_key, created_at, renew_at)
     SELECT 'aff_of_' || link_session_id, link_session_id, account_id, app_id, 'available', 'none',
       'affidavits/none/none/none/v1.pdf', now(), now() - interval '1 minute' FROM made`,
    [id, dueAffidavits],
  );
  const workflowId = `${archiveRenewalId}-recorded`;
  await stage.client.workflow.start('archiveRenewal', {
    workflowId,
    taskQueue: taskQueues.core,
    args: [fromTheFirstDue],
  });
  return workflowId;
}
