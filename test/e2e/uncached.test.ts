import { expect, it } from 'vitest';
import { addressOf, runPhone } from '../support/browser/follow.ts';
import { newLink } from '../support/http/client.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { readWorkflowTasks } from '../support/platform/workflow-tasks.ts';

const checksAtOnce = 4;

it('four concurrent checks pass when every workflow task replays the whole history', async () => {
  const proofs = { required_proofs: ['device', 'nfc_passport', 'phone'] } as const;
  const checks = await Promise.all(
    Array.from({ length: checksAtOnce }, async () => runPhone(addressOf(await newLink(proofs)))),
  );
  expect(checks.map(({ status }) => status)).toEqual(checks.map(() => 'passed'));
  const ids = checks.map(({ link_session_id: id }) => `trust-check/${id}`);
  const workflows = (await readWorkflowTasks(ownPlatform().temporalAddress)).filter(
    ({ workflowId }) => ids.includes(workflowId),
  );
  expect(workflows).toHaveLength(checksAtOnce);
  for (const { workflowId, count, sticky, failures } of workflows) {
    expect(count, workflowId).toBeGreaterThan(3);
    expect({ sticky, failures }, workflowId).toEqual({ sticky: 0, failures: [] });
  }
});
