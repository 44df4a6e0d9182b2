import { randomUUID } from 'node:crypto';
import { startOfRecall } from '../../../activities/proofs/device/start-recall.ts';
import { revokeForFraud } from '../../../cli/admin/revoke-device.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { deviceRecallWorkflowId, type RecallDue } from '../../../workflows/device-recall/messages.ts';
import { appOfTeam, iphoneWith, type TeamApp } from '../../support/checks/receipts.ts';
import { eventually } from '../../support/platform/harness.ts';
import { receiptTeam } from '../../support/stand-ins/phones/app-attest.ts';
import type { Scenario, Stage } from '../scenario.ts';

const of = (scenario: string, outcome: string, play: Scenario['play']): Scenario => {
  return { type: 'deviceRecall', scenario, play, ends: { outcome } };
};

/** What becomes of the bits that Apple keeps of iPhones. */
export const recallScenarios: readonly Scenario[] = [
  of('noted', 'written', async (stage) => {
    const device = await phoneOn(stage, randomUUID());
    return ended(stage, device, 'enrolled');
  }),
  of('revoked', 'written', async (stage) => flagged(stage, randomUUID())),
  of('flagged', 'flagged', async (stage) => {
    const hardware = randomUUID();
    await flagged(stage, hardware);
    return ended(stage, await phoneOn(stage, hardware), 'enrolled');
  }),
  of('unanswered', 'unavailable', unanswered),
];

const appOf = ({ db, facts }: Stage, team: string): Promise<TeamApp> =>
  appOfTeam(db, facts.own.account_id, team);

async function phoneOn(stage: Stage, hardware: string): Promise<Device> {
  return iphoneWith(stage.call, stage.trust, await appOf(stage, receiptTeam), hardware);
}

async function ended({ client }: Stage, { enrolled }: Device, due: RecallDue): Promise<string> {
  const workflowId = deviceRecallWorkflowId({ device_id: enrolled?.deviceId ?? '', due });
  await eventually(workflowId, async () => {
    const found = await client.workflow.getHandle(workflowId).describe().catch(() => null);
    return found?.status.name === 'COMPLETED';
  });
  return workflowId;
}

/** An iPhone that is noted, and flagged when the operator revokes its device. */
async function flagged(stage: Stage, hardware: string): Promise<string> {
  const device = await phoneOn(stage, hardware);
  await ended(stage, device, 'enrolled');
  await revokeForFraud(stage.db, device.enrolled?.deviceId ?? '', new Date());
  return ended(stage, device, 'flagged');
}

/** A device whose tokens cannot be opened: the workflow tries for two seconds. */
async function unanswered(stage: Stage): Promise<string> {
  const app = await appOf(stage, receiptTeam);
  const device = await iphoneWith(stage.call, stage.trust, app);
  await ended(stage, device, 'enrolled');
  const device_id = device.enrolled?.deviceId ?? '';
  await stage.db.query(
    `UPDATE devices SET recall_status = 'pending', tokens_sealed = '\\x00' WHERE device_id = $1`,
    [device_id],
  );
  const due = { device_id, app_id: app.appId, due: 'enrolled' } as const;
  const start = startOfRecall(due, { asked_seconds_max: 2 });
  const workflowId = `${start.workflowId}/recorded`;
  await stage.client.workflow.start('deviceRecall', { ...start, workflowId });
  return workflowId;
}
