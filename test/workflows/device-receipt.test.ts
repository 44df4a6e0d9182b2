import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOfReceipt } from '../../activities/proofs/device/apple/start-receipt.ts';
import type { Device } from '../../simulator/device/device.ts';
import { createClient } from '../../simulator/session/client.ts';
import { deviceReceiptWorkflowId } from '../../workflows/device-receipt/messages.ts';
import { devTrust, pairedSession, signedCall } from '../support/checks/phone.ts';
import { appOfTeam, iphoneWith, type TeamApp } from '../support/checks/receipts.ts';
import { call } from '../support/http/client.ts';
import { goodBundle, portalLogin } from '../support/keys/bundles.ts';
import { eventually, openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';
import { receiptTeam } from '../support/stand-ins/phones/app-attest.ts';

const { own, databaseUrl, baseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let client: Client;
let app: TeamApp;
beforeAll(async () => {
  [client, app] = await Promise.all([connectClient(), appOfTeam(db, own.account_id, receiptTeam)]);
});
afterAll(() => Promise.all([client.connection.close(), db.end()]));

const idOf = (device: Device): string => device.enrolled?.deviceId ?? '';

/** Enrolls an iPhone of the app, and waits until Apple reported its number of attested keys. */
async function countedPhone(metric: number): Promise<{ device: Device; session: string }> {
  const device = await iphoneWith(createClient(baseUrl), await devTrust(), app);
  const { body } = await portalLogin(await goodBundle(device));
  const session = String(body['session_token']);
  const seen = async () => {
    const listed = await call('GET', '/v2/devices', { token: session });
    const [row] = listed.body['items'] as Record<string, unknown>[];
    return row;
  };
  await eventually('the metric, and what Apple recalls', async () => {
    const row = await seen();
    return row?.['risk_metric'] === metric && row['recall_status'] === 'noted';
  });
  expect(Date.parse(String((await seen())?.['risk_metric_at']))).toBeGreaterThan(0);
  return { device, session };
}

/** The result of its device proof, the kinds of its evidence, and the rule of the decision. */
async function proven(device: Device, policy = {}): Promise<unknown[]> {
  const link = await call('PUT', `/v2/${app.appId}`, {
    token: own.api_key,
    body: { title: 'receipts', required_proofs: ['device'], policy },
  });
  const { id, token } = await pairedSession(device, String(link.body['link_uuid']));
  const path = `/v2/trust-checks/${id}/proofs/device`;
  const proof = await signedCall(device, 'POST', path, { token, body: {} });
  const evidence = `/v2/trust-checks/${id}/evidence`;
  const { text } = await call('GET', evidence, { token: own.api_key });
  const kinds = text.trimEnd().split('\n');
  let decision: unknown;
  await eventually('the decision', async () => {
    ({ decision } = (await call('GET', `/v2/trust-checks/${id}`, { token: own.api_key })).body);
    return typeof decision === 'object' && decision !== null;
  });
  return [
    proof.body['status'],
    proof.body['reason_code'],
    ...kinds.map((line) => (JSON.parse(line) as { kind: string }).kind),
    Object(decision).rule,
  ];
}

const judgedOn = ['apple-attestation', 'apple-receipt', 'device-recall', 'apple-assertion'];

describe('the receipt of an enrolled iPhone', () => {
  it('is refreshed until the device is revoked, and is part of the evidence of a check', async () => {
    const { device, session } = await countedPhone(1);
    expect(await proven(device)).toEqual(['passed', null, ...judgedOn, null]);
    const followed = client.workflow.getHandle(deviceReceiptWorkflowId(idOf(device)));
    expect((await followed.describe()).status.name).toBe('RUNNING');
    // A second workflow, which refreshes every second.
    const often = startOfReceipt(
      { device_id: idOf(device), app_id: app.appId },
      { wait_seconds_max: 1 },
    );
    const workflowId = `${often.workflowId}/often`;
    const handle = await client.workflow.start('deviceReceipt', { ...often, workflowId });
    const path = `/v2/devices/${idOf(device)}`;
    expect((await call('DELETE', path, { token: session })).status).toBe(200);
    expect(await handle.result()).toEqual({ outcome: 'over' });
    await followed.terminate('the test is over');
  });

  it('sends a phone with too many keys to review, and proves freshness until it expires', async () => {
    const { device } = await countedPhone(2);
    const aDay = { max_age_days: 1 };
    const change = async (set: string) =>
      db.query(`UPDATE devices SET ${set} WHERE device_id = $1`, [idOf(device)]);
    await change("created_at = created_at - interval '9 days'");
    expect(await proven(device, aDay)).toEqual([
      'in_review',
      'device_risk',
      ...judgedOn,
      'unsure_proof',
    ]);
    // A receipt is valid for ninety days; after that it no longer proves that the phone is fresh.
    await change("receipt_at = receipt_at - interval '91 days'");
    const without = judgedOn.filter((kind) => kind !== 'apple-receipt');
    expect(await proven(device, aDay)).toEqual(['passed', null, ...without, 'max_age_days']);
  });
});
