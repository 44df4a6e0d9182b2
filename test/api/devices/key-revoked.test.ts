import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStatusActivities } from '../../../activities/proofs/device/activities.ts';
import { createPublisher } from '../../../activities/proofs/device/config.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { createPublishedLists } from '../../../activities/vendors/published-lists.ts';
import { serialsOf } from '../../../domain/proofs/device/android/status-list.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { derOf } from '../../../simulator/roots/apple.ts';
import { devTrust, enrolledPhone, pairedSession, signedCall } from '../../support/checks/phone.ts';
import { call, newLink, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { ownSecrets } from '../../support/keys/own-secrets.ts';
import { audited } from '../../support/people/audited.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-status-'));
/** Serial numbers of these tests only: all simulated phones share their intermediates. */
const [stolen, leaked] = [1, 2].map((first) => `${first}${randomBytes(8).toString('hex')}`);
let intermediate: string | undefined;
let strict: SecondApi;
let blind: SecondApi;

/** Returns the URL of a list with these serial numbers. */
function listOf(name: string, serials: readonly (string | undefined)[]): string {
  const entries = serials.map((serial) => [serial, { status: 'SUSPENDED' }]);
  const path = join(directory, name);
  writeFileSync(path, JSON.stringify({ entries: Object.fromEntries(entries) }));
  return pathToFileURL(path).href;
}

beforeAll(async () => {
  const { android } = await devTrust();
  [intermediate] = serialsOf(android.intermediatePems.map(derOf));
  const list = listOf('strict.json', [stolen, intermediate]);
  [strict, blind] = await Promise.all([
    startSecondApi({ ANDROID_STATUS_LIST_URL: list }),
    startSecondApi({ ANDROID_STATUS_LIST_URL: 'file:///nowhere/status.json' }),
  ]);
});
afterAll(async () => {
  await Promise.all([strict.stop(), blind.stop(), db.end()]);
  rmSync(directory, { recursive: true });
});

const idOf = (device: Device): string => device.enrolled?.deviceId ?? '';
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const refused = [403, 'device_revoked'];
const renewal = async (device: Device, at?: SecondApi): Promise<unknown[]> => {
  const path = `/v2/devices/${idOf(device)}/certificate`;
  return outcome(await signedCall(device, 'POST', path, at ? { at: at.origin } : {}));
};
/** Returns an enrolled Android phone that is recorded with these serial numbers. */
async function phoneWith(serials: readonly (string | undefined)[]): Promise<Device> {
  const device = await enrolledPhone('android');
  await db.query('UPDATE devices SET attestation_serials = $2 WHERE device_id = $1', [
    idOf(device),
    serials,
  ]);
  return device;
}
async function rowOf(device: Device): Promise<Record<string, unknown>> {
  const { rows } = await db.query<Record<string, unknown>>(
    `SELECT revoked_for, revoked_at IS NOT NULL AS revoked, ends_checks, attestation_serials,
       (SELECT array_agg(DISTINCT revocation_reason::text) FROM certificates c
        WHERE c.device_id = d.device_id) AS certificates
     FROM devices d WHERE device_id = $1`,
    [idOf(device)],
  );
  return rows[0] ?? {};
}

describe('a phone whose key is revoked after it was enrolled', () => {
  it('is revoked at its next request, with its sessions, certificates and checks', async () => {
    const device = await phoneWith(['1', stolen]);
    const login = await portalLogin(await goodBundle(device));
    const session = { token: String(login.body['session_token']) };
    const link = await newLink({ required_proofs: ['device'] });
    const { id, token } = await pairedSession(device, link);
    expect((await call('GET', '/v2/devices', session)).status).toBe(200);
    expect(await renewal(device)).toEqual([201, undefined]);
    expect(await renewal(device, strict)).toEqual(refused);
    expect(await renewal(device)).toEqual(refused);
    const proof = `/v2/trust-checks/${id}/proofs/device`;
    expect(outcome(await signedCall(device, 'POST', proof, { token, body: {} }))).toEqual(refused);
    await eventually('the end of its check', async () => {
      const { body } = await call('GET', `/v2/trust-checks/${id}`, { token: own.api_key });
      return body['status'] === 'canceled' || body['status'] === 'failed';
    });
    const { body } = await call('GET', `/v2/trust-checks/${id}`, { token: own.api_key });
    expect([body['status'], body['reason_code']]).toEqual(['failed', 'attestation_failed']);
    const ended = { revoked_for: 'key_revoked', revoked: true, certificates: ['compromised'] };
    await eventually('no mark', async () => !(await rowOf(device))['ends_checks']);
    expect(await rowOf(device)).toMatchObject(ended);
    const rows = (await audited(own)).filter(({ object_id }) => object_id === idOf(device));
    expect(rows).toEqual([
      expect.objectContaining({
        action: 'device.revoked',
        actor: 'platform',
        details: { app_id: own.app_id, reason: 'key_revoked' },
      }),
    ]);
  });

  it('is revoked once by the schedule, and other phones are not', async () => {
    const [listed, other] = [await phoneWith([leaked]), await phoneWith(['1', 'c0ffee'])];
    const clock = (): Date => new Date();
    const said: string[] = [];
    const url = listOf('leaked.json', [leaked]);
    const { refreshKeyStatus } = createKeyStatusActivities({
      ...createPublisher({ ANDROID_STATUS_LIST_URL: url, PROFILE: 'production' }, clock),
      lists: createPublishedLists(
        createDiskStore({
          directory,
          baseUrl: 'http://127.0.0.1',
          secret: () => Buffer.alloc(32),
          clock,
        }),
      ),
      keys: ownSecrets(),
      db,
      clock,
      log: { warn: (...line: unknown[]) => void said.push(JSON.stringify(line)) },
    });
    expect(await refreshKeyStatus()).toEqual({ listed: 1, revoked: 1 });
    expect(await refreshKeyStatus()).toEqual({ listed: 1, revoked: 0 });
    expect(await renewal(listed)).toEqual(refused);
    expect(await renewal(other)).toEqual([201, undefined]);
    expect(said).toEqual([]);
  });
});

it('an Android phone is refused without a status list, an iPhone is accepted', async () => {
  expect(await renewal(await enrolledPhone('android'), blind)).toEqual([
    503,
    'dependency_unavailable',
  ]);
  expect(await renewal(await enrolledPhone('ios'), blind)).toEqual([201, undefined]);
});
