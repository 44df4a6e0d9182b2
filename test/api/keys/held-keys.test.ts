import { randomUUID, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldKeys } from '../../../activities/keys/directory/held-keys.ts';
import { passphraseFile } from '../../../activities/keys/directory/key-files.ts';
import { copyApiKeys } from '../../../cli/keys/copy-api-keys.ts';
import { newChallenge, newPhone, signedCall } from '../../support/checks/phone.ts';
import { call } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { ocspType, sealRequest } from '../../support/keys/ocsp.ts';
import { queryType, timestampQuery } from '../../support/keys/timestamps.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const { dataDir, databaseUrl, own } = ownPlatform();
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-held-'));
const keysDirectory = join(directory, 'keys');
const keys = platformKeys();
const db = openTestDb(databaseUrl);
let api: SecondApi;

beforeAll(async () => {
  await copyApiKeys(dataDir, keysDirectory);
  symlinkSync(join(dataDir, 'objects'), join(directory, 'objects'));
  api = await startSecondApi({ DATA_DIR: directory, ...passphrase() });
});
afterAll(async () => {
  await api.stop();
  await db.end();
  rmSync(directory, { recursive: true, force: true });
});

function passphrase(): Record<string, string> {
  const names = readdirSync(join(dataDir, 'keys'));
  if (!names.includes(passphraseFile)) return {};
  return { KEYS_PASSPHRASE: readFileSync(join(dataDir, 'keys', passphraseFile), 'utf8').trim() };
}

const certificatesOf = async (deviceId: unknown): Promise<number> =>
  (await db.query('SELECT 1 FROM certificates WHERE device_id = $1', [deviceId])).rows.length;
const leafOf = (body: Record<string, unknown>): X509Certificate =>
  new X509Certificate((body['certificate_chain'] as string[])[0] ?? '');

describe('an API with only its own keys', () => {
  it('has the private keys of `heldKeys` and no others', () => {
    const all = readdirSync(keysDirectory, { recursive: true }).map(String);
    const held = heldKeys.api.map((name) => `${name}.key.pem`);
    expect(all.filter((name) => name.endsWith('.key.pem'))).toEqual(held);
  });

  it('enrolls a phone and renews its certificate with the people CA', async () => {
    const device = await newPhone();
    const body = await device.enrollment(await newChallenge(), own.app_id);
    const enrolled = await call('POST', '/v2/devices', { body, at: api.origin });
    expect([enrolled.status, enrolled.text]).toEqual([201, expect.any(String)]);
    expect(leafOf(enrolled.body).verify(keys.peopleCa.publicKey)).toBe(true);
    device.enrolled = {
      deviceId: String(enrolled.body['device_id']),
      polyUserId: String(enrolled.body['poly_user_id']),
      certificateChain: enrolled.body['certificate_chain'] as string[],
    };
    const path = `/v2/devices/${device.enrolled.deviceId}/certificate`;
    const renewed = await signedCall(device, 'POST', path, { at: api.origin });
    expect(renewed.status).toBe(201);
    expect(leafOf(renewed.body).verify(keys.peopleCa.publicKey)).toBe(true);
    expect(leafOf(renewed.body).serialNumber).not.toBe(leafOf(enrolled.body).serialNumber);
    expect(await certificatesOf(device.enrolled.deviceId)).toBe(2);
  });

  it('answers time-stamp queries, CRLs and OCSP', async () => {
    // Requests the certificates of the signer.
    const query = timestampQuery(Buffer.from('0101ff', 'hex'));
    const stamp = await postTo(api.origin, '/tsa', query, queryType['content-type']);
    expect([stamp.status, stamp.body.includes(keys.tsa.certificate.raw)]).toEqual([200, true]);
    for (const { kid } of [keys.peopleCa, keys.servicesCa]) {
      expect((await fetch(`${api.origin}/pki/${kid}.crl`)).status).toBe(200);
    }
    const ocsp = await postTo(api.origin, '/pki/ocsp', sealRequest(), ocspType['content-type']);
    // OCSPResponseStatus successful (RFC 6960 §4.2.1).
    expect([ocsp.status, ocsp.body.includes(Buffer.from('0a0100', 'hex'))]).toEqual([200, true]);
  });
});

describe('an API without workers', () => {
  let cut: SecondApi;
  beforeAll(async () => {
    const settings = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_CALL_SECONDS: '1' };
    cut = await startSecondApi({ DATA_DIR: directory, ...passphrase(), ...settings });
  });
  afterAll(() => cut.stop());

  it('returns 503 for an enrollment, which changes nothing and can be repeated', async () => {
    const device = await newPhone();
    const body = await device.enrollment(await newChallenge(), own.app_id);
    const headers = { 'idempotency-key': randomUUID() };
    const refused = await call('POST', '/v2/devices', { body, headers, at: cut.origin });
    expect([refused.status, refused.body['code']]).toEqual([503, 'dependency_unavailable']);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const enrolled = await call('POST', '/v2/devices', { body, headers, at: api.origin });
    expect(enrolled.status).toBe(201);
    expect(await certificatesOf(enrolled.body['device_id'])).toBe(1);
  });

  it('returns 503 for a time-stamp query, but answers a malformed one', async () => {
    const type = queryType['content-type'];
    const refused = await postTo(cut.origin, '/tsa', timestampQuery(), type);
    expect([refused.status, refused.retryAfter]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await postTo(cut.origin, '/tsa', Buffer.of(1), type)).status).toBe(200);
  });
});

async function postTo(origin: string, path: string, body: Uint8Array, type: string) {
  const init = { method: 'POST', body: Buffer.from(body), headers: { 'content-type': type } };
  const answer = await fetch(`${origin}${path}`, init);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: bytes };
}
