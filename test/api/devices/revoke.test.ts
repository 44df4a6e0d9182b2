import { X509Certificate } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { revokeBySerial } from '../../../db/queries/certificates.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enroll, enrolledPhone, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { emailSession } from '../../support/people/email-users.ts';
import { askLink, newAddress, tokenTo } from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const over = [401, 'credential_invalid'];
const idOf = (device: Device): string => device.enrolled?.deviceId ?? '';
const use = (token: string): Promise<Answer> => call('GET', '/v2/devices', { token });

async function signedIn(device: Device): Promise<string> {
  const { body } = await portalLogin(await goodBundle(device));
  return String(body['session_token']);
}

/** Returns two phones of one person. */
async function twoPhones(): Promise<readonly [Device, Device]> {
  const [lost, kept] = [await enrolledPhone(), await newPhone()];
  expect((await enroll(kept, {}, { token: await signedIn(lost) })).status).toBe(201);
  return [lost, kept];
}

describe('the revocation of a device', () => {
  it('ends the sessions that the device opened or stepped up, and no others', async () => {
    const [lost, kept] = await twoPhones();
    const polyUserId = lost.enrolled?.polyUserId ?? '';
    const mail = await emailSession(db, polyUserId);
    const raw_jwt = await goodBundle(lost);
    const raised = await call('POST', '/v2/session/step_up', { token: mail, body: { raw_jwt } });
    expect(raised.status).toBe(200);
    const own = await signedIn(kept);
    const theirs = [await signedIn(lost), String(raised.body['session_token'])];
    expect((await call('DELETE', `/v2/devices/${idOf(lost)}`, { token: own })).status).toBe(200);
    const answers = await Promise.all(theirs.map(use));
    expect(answers.map(outcome)).toEqual([over, over]);
    for (const token of [own, mail]) expect((await use(token)).status).toBe(200);
    const { rows } = await db.query<Record<string, unknown>>(
      `SELECT device_id, bool_and(revoked_at IS NOT NULL) AS ended FROM sessions
       WHERE poly_user_id = $1 GROUP BY device_id ORDER BY device_id`,
      [polyUserId],
    );
    expect(rows).toEqual(
      [
        { device_id: idOf(lost), ended: true },
        { device_id: idOf(kept), ended: false },
      ]
        .toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1))
        .concat([{ device_id: null as unknown as string, ended: false }]),
    );
  });

  it('refuses a session of the device at once, although the session is cached', async () => {
    const [lost, kept] = await twoPhones();
    const thief = await signedIn(lost);
    const email = newAddress();
    const { cookie } = await askLink(thief, { email });
    const token = await tokenTo(email);
    const path = `/v2/devices/${idOf(lost)}`;
    const own = await signedIn(kept);
    // The API caches for half a minute that the session is live.
    expect((await use(thief)).status).toBe(200);
    expect((await call('DELETE', path, { token: own })).status).toBe(200);
    expect(outcome(await use(thief))).toEqual(over);
    expect(outcome(await enroll(await newPhone(), {}, { token: thief }))).toEqual(over);
    const attached = await call('POST', '/v2/email/link/verify', {
      token: thief,
      body: { token },
      headers: { cookie },
    });
    expect(outcome(attached)).toEqual(over);
  });

  it('ends sessions that were opened concurrently', async () => {
    const device = await enrolledPhone();
    const token = await signedIn(device);
    expect((await call('DELETE', `/v2/devices/${idOf(device)}`, { token })).status).toBe(200);
    const polyUserId = device.enrolled?.polyUserId ?? '';
    const late = await emailSession(db, polyUserId, {}, { deviceId: idOf(device) });
    expect(outcome(await use(late))).toEqual(over);
  });
});

it('the revocation of a certificate ends the sessions of its device', async () => {
  const device = await enrolledPhone();
  const token = await signedIn(device);
  const [pem = ''] = device.enrolled?.certificateChain ?? [];
  const serial = new X509Certificate(pem).serialNumber.toLowerCase();
  const revocation = { at: new Date(), reason: 'compromised' } as const;
  expect(await revokeBySerial(db, serial, revocation)).toBe(true);
  expect(outcome(await use(token))).toEqual(over);
});
