import { fromTheFirstCheck, retentionId } from '../../../workflows/retention/messages.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { newLink, type Scenario, type Stage } from '../scenario.ts';

/** The removal of images, as its schedule starts it; more checks are due than one step takes. */
export const retentionScenarios: readonly Scenario[] = [
  { type: 'retention', scenario: 'removed', play: removed, ends: { checks: 0, failed: 0 } },
];

const dueChecks = 60;

async function removed(stage: Stage): Promise<string> {
  const { link_uuid } = await newLink(stage);
  const body = { link_uuid, client: 'web' };
  const { link_session_id: id } = await stage.call<{ link_session_id: string }>(
    'POST',
    '/v2/trust-checks',
    { body },
  );
  await stage.db.query(
    `INSERT INTO trust_checks SELECT (jsonb_populate_record(t, jsonb_build_object(
       'link_session_id', t.link_session_id || '-' || nr, 'status', 'canceled',
       'awaits_start', false, 'decided_at', now() - interval '8 days'))).*
     FROM trust_checks t, generate_series(1, $2::int) nr WHERE t.link_session_id = $1`,
    [id, dueChecks],
  );
  const workflowId = `${retentionId}-recorded`;
  await stage.client.workflow.start('retention', {
    workflowId,
    taskQueue: taskQueues.core,
    args: [fromTheFirstCheck],
  });
  return workflowId;
}
