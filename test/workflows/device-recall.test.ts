import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeviceJudge } from '../../activities/proofs/device/proof.ts';
import { startOfRecall } from '../../activities/proofs/device/start-recall.ts';
import { revokeForFraud } from '../../cli/admin/revoke-device.ts';
import { transaction } from '../../db/client.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import type { Device } from '../../simulator/device/device.ts';
import { createClient } from '../../simulator/session/client.ts';
import { devTrust, pairedSession, signedCall } from '../support/checks/phone.ts';
import { appOfTeam, iphoneWith, type TeamApp } from '../support/checks/receipts.ts';
import { call } from '../support/http/client.ts';
import { goodBundle, portalLogin } from '../support/keys/bundles.ts';
import { ownSealer } from '../support/keys/own-sealer.ts';
import { audited } from '../support/people/audited.ts';
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
const phoneOn = async (hardware: string): Promise<Device> =>
  iphoneWith(createClient(baseUrl), await devTrust(), app, hardware);

async function rowOf(device: Device): Promise<Record<string, unknown>> {
  const { rows } = await db.query<Record<string, unknown>>(
    `SELECT recall_status, reinstall_detected, device_flagged, flag_status, revoked_for, recall_due,
       tokens_sealed IS NULL AS is_bare FROM devices WHERE device_id = $1`,
    [idOf(device)],
  );
  return rows[0] ?? {};
}
const becomes = (device: Device, status: object): Promise<unknown> =>
  eventually(JSON.stringify(status), async () => {
    const row = await rowOf(device);
    return Object.entries(status).every(([name, value]) => row[name] === value);
  });
const endOf = (device: Device, due: string) =>
  client.workflow.getHandle(`device-recall/${idOf(device)}/${due}`).result();

describe('the device recall of an iPhone', () => {
  it('reports a new phone, then a reinstalled one, and refuses a flagged one', async () => {
    const hardware = randomUUID();
    const first = await phoneOn(hardware);
    await becomes(first, { recall_status: 'noted', reinstall_detected: false });
    expect(await endOf(first, 'enrolled')).toEqual({ outcome: 'written' });

    const link = await call('PUT', `/v2/${app.appId}`, {
      token: own.api_key,
      body: { title: 'recalled', required_proofs: ['device'] },
    });
    const session = await pairedSession(first, String(link.body['link_uuid']));
    const path = `/v2/trust-checks/${session.id}/proofs/device`;
    const proof = await signedCall(first, 'POST', path, { token: session.token, body: {} });
    expect([proof.body['status'], proof.body['reason_code']]).toEqual(['passed', null]);
    const evidence = `/v2/trust-checks/${session.id}/evidence`;
    const { text } = await call('GET', evidence, { token: own.api_key });
    expect(text).toContain('"kind":"device-recall"');

    const second = await phoneOn(hardware);
    await becomes(second, { recall_status: 'noted', reinstall_detected: true });
    const login = await portalLogin(await goodBundle(second));
    const token = String(login.body['session_token']);
    const listed = await call('GET', '/v2/devices', { token });
    expect(listed.body['items']).toEqual([
      expect.objectContaining({
        status: 'active',
        recall_status: 'noted',
        recall_at: expect.stringMatching(/Z$/),
        reinstall_detected: true,
        device_flagged: false,
      }),
    ]);
    expect(await revokeForFraud(db, idOf(second), new Date())).toBe('pending');
    await becomes(second, { flag_status: 'written', revoked_for: 'operator', is_bare: true });
    await expect(revokeForFraud(db, idOf(second), new Date())).rejects.toThrow('flagged before');
    const gone = await signedCall(second, 'POST', `/v2/devices/${idOf(second)}/certificate`);
    expect([gone.status, gone.body['code']]).toEqual([403, 'device_revoked']);

    const third = await phoneOn(hardware);
    await becomes(third, { device_flagged: true, revoked_for: 'device_flagged' });
    expect(await endOf(third, 'enrolled')).toEqual({ outcome: 'flagged' });
    const refused = await signedCall(third, 'POST', `/v2/devices/${idOf(third)}/certificate`);
    expect([refused.status, refused.body['code']]).toEqual([403, 'device_revoked']);
    // A submission from before the flag, judged after it.
    const judge = createDeviceJudge({ sealer: ownSealer(db) });
    const check = await findTrustCheck(db, session.id);
    if (!check) throw new Error('no check');
    const late = await transaction(db, (tx) =>
      judge.judge({
        session: { ...check, device_id: idOf(third) },
        input: { attest: { device_id: idOf(third), evidence: {} } },
        files: new Map(),
        tx,
        now: new Date(),
        handedInAt: new Date(),
      }),
    );
    expect([late.outcome, late.reason_code]).toEqual(['rejected', 'device_flagged']);
    const rows = (await audited(own)).filter(({ action }) => action === 'device.revoked');
    const reasons = [second, third].map(
      (device) => rows.find(({ object_id }) => object_id === idOf(device))?.details,
    );
    expect(reasons).toEqual([
      { app_id: app.appId, reason: 'operator' },
      { app_id: app.appId, reason: 'device_flagged' },
    ]);
  });

  it('ends as unavailable when it cannot be queried', async () => {
    const device = await phoneOn(randomUUID());
    await becomes(device, { recall_status: 'noted' });
    // As if Apple had not answered yet; the key of this team is no longer configured.
    const { rows } = await db.query(
      `UPDATE devices SET recall_status = 'pending', tokens_sealed = '\\x00'
       WHERE device_id = $1 RETURNING app_id`,
      [idOf(device)],
    );
    expect(rows).toHaveLength(1);
    const due = { device_id: idOf(device), app_id: app.appId, due: 'enrolled' } as const;
    const start = startOfRecall(due, { asked_seconds_max: 2 });
    const workflowId = `${start.workflowId}/short`;
    const handle = await client.workflow.start('deviceRecall', { ...start, workflowId });
    expect(await handle.result()).toEqual({ outcome: 'unavailable' });
    expect(await rowOf(device)).toMatchObject({ recall_status: 'unavailable', is_bare: true });
  });

  it('is not queried without a key of the team, and its tokens are deleted', async () => {
    const other = await appOfTeam(db, own.account_id, 'NOKEYHERE2');
    const device = await iphoneWith(createClient(baseUrl), await devTrust(), other);
    await becomes(device, { recall_due: null, recall_status: null, is_bare: true });
    expect(await revokeForFraud(db, idOf(device), new Date())).toBe('unavailable');
    const unknown = revokeForFraud(db, `dev_${'0'.repeat(26)}`, new Date());
    await expect(unknown).rejects.toThrow('no such device');
  });
});
