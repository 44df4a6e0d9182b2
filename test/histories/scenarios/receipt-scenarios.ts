import { startOfReceipt } from '../../../activities/proofs/device/apple/start-receipt.ts';
import { transaction } from '../../../db/client.ts';
import { revokeDevice } from '../../../db/queries/devices.ts';
import { appOfTeam, iphoneWith } from '../../support/checks/receipts.ts';
import { eventually } from '../../support/platform/harness.ts';
import { receiptTeam } from '../../support/stand-ins/phones/app-attest.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** What becomes of the receipts of iPhones. */
export const receiptScenarios: readonly Scenario[] = [
  { type: 'deviceReceipt', scenario: 'followed', play: followed, ends: { outcome: 'over' } },
  { type: 'deviceReceipt', scenario: 'refused', play: (stage) => refused(stage), ends: { outcome: 'over' } },
];

/** Renewed, waited for, asked about once more, and over with its device. */
async function followed(stage: Stage): Promise<string> {
  return follow(stage, receiptTeam, async (deviceId) => {
    await eventually('the renewed one', async () => {
      const { rows } = await stage.db.query(
        'SELECT 1 FROM devices WHERE device_id = $1 AND receipt_at IS NOT NULL',
        [deviceId],
      );
      return rows.length > 0;
    });
  });
}

/** A receipt of a team without a key, so that it cannot be renewed. */
const refused = (stage: Stage): Promise<string> =>
  follow(stage, 'NOKEYHERE1', () => Promise.resolve());

/** One that looks every second, until its device is revoked. */
async function follow(
  { call, client, db, facts, trust }: Stage,
  team: string,
  wait: (deviceId: string) => Promise<void>,
): Promise<string> {
  const app = await appOfTeam(db, facts.own.account_id, team);
  const { enrolled } = await iphoneWith(call, trust, app);
  if (!enrolled) throw new Error('not enrolled');
  const { deviceId: device_id, polyUserId } = enrolled;
  const often = startOfReceipt({ device_id, app_id: app.appId }, { wait_seconds_max: 1 });
  const workflowId = `${often.workflowId}/recorded`;
  const handle = await client.workflow.start('deviceReceipt', { ...often, workflowId });
  await wait(device_id);
  await eventually('two looks', async () => (await handle.describe()).historyLength > 17);
  await transaction(db, (tx) => revokeDevice(tx, device_id, polyUserId, new Date()));
  return workflowId;
}
