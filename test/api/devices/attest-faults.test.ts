import { describe, expect, it } from 'vitest';
import { attestFaults } from '../../../api/http/auth/attest/attest-faults.ts';
import * as seeding from '../../../db/queries/seeding.ts';
import { createApplePhone } from '../../../simulator/apple/phone.ts';
import { createDevice, type Device } from '../../../simulator/device/device.ts';
import { simulatedApp } from '../../../domain/proofs/device/simulated-app.ts';
import {
  asPhone,
  devTrust,
  enroll,
  enrolledPhone,
  freshNonce,
  newPhone,
  pairedSession,
  signedCall,
} from '../../support/checks/phone.ts';
import { beginSession, call, newLink, type Answer } from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();

/** A call that succeeds if this device signs it. */
interface Target {
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
}
type Fault = (typeof attestFaults)[number];

const idOf = (device: Device): string => device.enrolled?.deviceId ?? '';
const targets: readonly (readonly [string, (device: Device) => Promise<Target>])[] = [
  ['devices.renew', async (device) => ({ path: `/v2/devices/${idOf(device)}/certificate` })],
  [
    'trust-checks.begin',
    async () => ({
      path: '/v2/trust-checks',
      body: { link_uuid: await newLink(), client: 'mobile' },
    }),
  ],
  [
    'trust-checks.pair',
    async (device) => {
      const link = await newLink();
      const { id, token } = await asPhone(device, () => beginSession(link, 'mobile'));
      return { path: `/v2/trust-checks/${id}/pair`, token, body: {} };
    },
  ],
  [
    'trust-checks.submitProof',
    async (device) => {
      const link = await newLink({ required_proofs: ['device'] });
      const { id, token } = await pairedSession(device, link);
      return { path: `/v2/trust-checks/${id}/proofs/device`, token, body: {} };
    },
  ],
  ['links.complete', (device) => completing(device, (uuid) => `/v2/${own.app_id}/${uuid}`)],
  ['links.completeById', (device) => completing(device, (uuid) => `/v2/${uuid}`)],
];

const completing = async (device: Device, place: (uuid: string) => string): Promise<Target> => {
  const link = await newLink();
  await pairedSession(device, link);
  return { path: place(link), body: {} };
};

const post = (device: Device, target: Target, options = {}): Promise<Answer> =>
  signedCall(device, 'POST', target.path, { ...target, ...options });

/** Sends the call with another assertion over the client data that the phone signed. */
async function postAsserted(
  device: Device,
  target: Target,
  assertionOf: (clientData: Buffer) => Uint8Array,
): Promise<Answer> {
  const raw = target.body === undefined ? '' : JSON.stringify(target.body);
  const nonce = await freshNonce(device);
  const header = await device.attest({ method: 'POST', path: target.path, body: raw }, nonce);
  const parts = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, string>;
  const clientData = Buffer.from(parts['client_data'] ?? '', 'base64url');
  const assertion = Buffer.from(assertionOf(clientData)).toString('base64url');
  const attest = Buffer.from(JSON.stringify({ ...parts, assertion })).toString('base64url');
  return post(device, target, { headers: { attest } });
}

async function withDb(
  work: (db: ReturnType<typeof openTestDb>) => Promise<unknown>,
): Promise<void> {
  const db = openTestDb(databaseUrl);
  try {
    await work(db);
  } finally {
    await db.end();
  }
}

/** Returns an iPhone with an app of its own, which may be changed without effect on other tests. */
async function phoneOfItsOwnApp(): Promise<{ device: Device; appId: string }> {
  const appId = `attest-${process.pid}-${Math.floor(Math.random() * 1e9)}`;
  const { apple, android } = simulatedApp;
  const values = [
    appId,
    own.account_id,
    'An app',
    true,
    null,
    [],
    ['phone'],
    null,
    '1',
    null,
    JSON.stringify(apple),
    JSON.stringify(android),
    new Date(),
  ];
  await withDb((db) => seeding.addApp(db, values));
  const device = await newPhone('ios');
  await enroll(device, { app_id: appId });
  return { device, appId };
}

type Bring = (makeTarget: (device: Device) => Promise<Target>) => Promise<Answer>;

/** Each fault, produced for a call that is otherwise valid. */
const faults: Readonly<Record<Fault, Bring>> = {
  attest_malformed: async (makeTarget) => {
    const device = await enrolledPhone('ios');
    return post(device, await makeTarget(device), { headers: { attest: 'x' } });
  },
  attest_nonce_required: async (makeTarget) => {
    const device = await enrolledPhone('android');
    return post(device, await makeTarget(device), { nonce: 'none' });
  },
  request_mismatch: async (makeTarget) => {
    const device = await enrolledPhone('android');
    return post(device, await makeTarget(device), { signed: { path: '/v2/elsewhere' } });
  },
  body_mismatch: async (makeTarget) => {
    const device = await enrolledPhone('ios');
    return post(device, await makeTarget(device), { signed: { body: '{"another":1}' } });
  },
  signature_invalid: async (makeTarget) => {
    const [device, other] = [await enrolledPhone('android'), await enrolledPhone('android')];
    const target = await makeTarget(device);
    other.enrolled = device.enrolled;
    return post(other, target);
  },
  attestation_refused: async (makeTarget) => {
    const device = await enrolledPhone('ios');
    return postAsserted(device, await makeTarget(device), () => Buffer.from('no CBOR'));
  },
  category_refused: async (makeTarget) => {
    const device = await enrolledPhone('ios');
    const target = await makeTarget(device);
    const { attestedKeyPem: keyPem, counter } = device.save();
    const { team_id: teamId, bundle_id: bundleId } = simulatedApp.apple;
    const resigned = createApplePhone({
      roots: (await devTrust()).apple,
      app: { teamId, bundleId },
      environment: 'development',
      now: () => new Date(),
      category: 9,
      saved: { keyPem, counter: counter + 10 },
    });
    return postAsserted(device, target, (clientData) => resigned.assert(clientData));
  },
  counter_replay: async (makeTarget) => {
    const device = await enrolledPhone('ios');
    const target = await makeTarget(device);
    const saved = device.save();
    const copy = createDevice({
      platform: 'ios',
      trust: await devTrust(),
      now: () => new Date(),
      saved,
    });
    const renewed = await post(device, { path: `/v2/devices/${idOf(device)}/certificate` });
    expect(renewed.status).toBe(201);
    const nonce = await freshNonce(device);
    return post(copy, target, { nonce });
  },
  app_id_mismatch: async (makeTarget) => {
    const { device, appId } = await phoneOfItsOwnApp();
    const target = await makeTarget(device);
    const another = JSON.stringify({ team_id: 'ANOTHERTEAM', bundle_id: 'dev.trustcheck.app' });
    await withDb((db) =>
      db.query('UPDATE apps SET apple = $2::jsonb WHERE app_id = $1', [appId, another]),
    );
    return post(device, target);
  },
  device_revoked: async (makeTarget) => {
    const token = own.member.session_token;
    const device = await newPhone('android');
    await enroll(device, {}, { token });
    const target = await makeTarget(device);
    const revoked = await call('DELETE', `/v2/devices/${idOf(device)}`, { token });
    expect(revoked.status).toBe(200);
    return post(device, target);
  },
};

const statusOf = (code: Fault): number =>
  code === 'attest_malformed' ? 422 : code === 'attest_nonce_required' ? 401 : 403;

describe.each(targets)('%s', (_id, makeTarget) => {
  it.each([...attestFaults])('refuses %s and returns the next nonce', async (code) => {
    const refused = await faults[code](makeTarget);
    expect([refused.status, refused.text]).toEqual([
      statusOf(code),
      expect.stringContaining(`"${code}"`),
    ]);
    expect(refused.headers.get('attest-nonce')).toMatch(/^[A-Za-z0-9_-]{51}$/);
  });

  it('accepts the same call without the fault', async () => {
    const device = await enrolledPhone('ios');
    expect((await post(device, await makeTarget(device))).status).toBeLessThan(300);
  });
});

describe('a proof that names evidence', () => {
  it('is refused if the session has no such file', async () => {
    const device = await enrolledPhone('ios');
    const session = await pairedSession(
      device,
      await newLink({ required_proofs: ['nfc_passport'] }),
    );
    const nobody = `ev_${'0'.repeat(26)}`;
    const refused = await post(device, {
      path: `/v2/trust-checks/${session.id}/proofs/nfc_passport`,
      token: session.token,
      body: { sod: nobody, data_groups: { DG1: nobody } },
    });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('evidence_unknown');
  });
});
