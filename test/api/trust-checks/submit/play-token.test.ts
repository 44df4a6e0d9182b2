import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindingOf } from '../../../../activities/proofs/device/google/play-integrity.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../domain/judging/verifiers.ts';
import { simulatedApp } from '../../../../domain/proofs/device/simulated-app.ts';
import { freshNonce, pairedSession } from '../../../support/checks/phone.ts';
import { classicBy, comingPhone, said } from '../../../support/checks/play-phone.ts';
import {
  mintToken,
  newPlayKeys,
  type Changes,
} from '../../../support/fixtures/devices/play-fixtures.ts';
import { call, clientOf, untilAnswered } from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../../support/platform/second-api.ts';

const { own } = ownPlatform();
const { package: packageName, signature_digests: digests } = simulatedApp.android;
const keys = newPlayKeys();
const classic = classicBy(keys);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-play-'));
const db = openTestDb(ownPlatform().databaseUrl);
let local: SecondApi;

beforeAll(async () => {
  const path = join(directory, 'keys.json');
  const ofApp = {
    decryption_key: keys.decryptionKey.toString('base64'),
    verification_key: keys.verificationKey.toString('base64'),
  };
  writeFileSync(path, JSON.stringify({ [packageName]: ofApp }));
  local = await startSecondApi({ PLAY_INTEGRITY_KEYS: path });
});
afterAll(async () => {
  await Promise.all([local.stop(), db.end()]);
  rmSync(directory, { recursive: true });
});

/** Returns the Play token for the header of the proof `device`, over this nonce and key. */
type Brought = (nonce: string, key: Uint8Array) => Promise<string | undefined>;
const standard =
  (changes?: Changes): Brought =>
  async (nonce, key) => {
    const requestHash = bindingOf(Buffer.from(nonce), key);
    return (await mintToken(keys, said({ requestHash }, changes))).token;
  };

describe('trust-checks.submitProof with a fresh Play Integrity token', () => {
  const appId = `fresh-${process.pid}`;

  beforeAll(async () => {
    const android = { package: packageName, signature_digests: digests, play_token: 'required' };
    const body = { name: 'Fresh', kind: 'sdk', android };
    const path = `/v2/accounts/${own.account_id}/apps/${appId}`;
    const made = await call('PUT', path, { token: own.api_key, body });
    expect([made.status, made.body['android']]).toEqual([201, android]);
  });

  /** Returns a check by a phone that enrolled with this Play verdict. */
  async function checkOf(app: string, enrollment: Changes = {}) {
    const { phone, key, binding, enrolled } = await comingPhone(app);
    expect((await enrolled(local.origin, await classic(binding, enrollment))).status).toBe(201);
    const link = await clientOf(own.api_key).links.create({
      app_id: app,
      body: { required_proofs: ['device'] },
    });
    const session = await pairedSession(phone, link.link_uuid);
    const path = `/v2/trust-checks/${session.id}/proofs/device`;
    const handInOnce = async (brought: Brought, idempotencyKey: string) => {
      const nonce = await freshNonce(phone);
      const usual = await phone.attest({ method: 'POST', path, body: '{}' }, nonce);
      const header = JSON.parse(Buffer.from(usual, 'base64url').toString());
      header.play_token = await brought(nonce, key);
      const attest = Buffer.from(JSON.stringify(header)).toString('base64url');
      return call('POST', path, {
        at: local.origin,
        token: session.token,
        raw: '{}',
        headers: { attest, 'idempotency-key': idempotencyKey },
      });
    };
    /** Signs each repeat anew under the same idempotency key, as a phone does. */
    const handIn = (brought: Brought) => {
      const idempotencyKey = randomUUID();
      return untilAnswered('the proof', () => handInOnce(brought, idempotencyKey));
    };
    return { session, handIn, deviceId: () => phone.enrolled?.deviceId };
  }
  const stateOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => [
    status,
    body['status'],
    body['reason_code'],
  ];

  it('requires a token if the app requires one, and accepts a later submission that has one', async () => {
    const { handIn } = await checkOf(appId);
    const without = await handIn(async () => undefined);
    expect(stateOf(without)).toEqual([200, 'requires_retry', 'integrity_missing']);
    for (const token of ['not a token', 'A'.repeat(8 * 1024 + 1)]) {
      const malformed = await handIn(async () => token);
      expect([malformed.status, malformed.body['detail']]).toEqual([
        422,
        [expect.objectContaining({ loc: ['header', 'attest'], type: 'attest_malformed' })],
      ]);
    }
    expect(stateOf(await handIn(standard()))).toEqual([200, 'passed', null]);
  });

  it.each<[string, Brought]>([
    ['device_integrity_missing', standard({ deviceIntegrity: null })],
    ['request_hash_mismatch', (_nonce, key) => standard()('another', key)],
    ['request_hash_mismatch', (nonce) => standard()(nonce, Buffer.from('another phone'))],
    [
      'request_hash_mismatch',
      async (nonce, key) => (await classic(bindingOf(Buffer.from(nonce), key))).token,
    ],
  ])('fails a phone with a valid enrollment with %s', async (reason, brought) => {
    const { handIn } = await checkOf(own.app_id);
    expect(stateOf(await handIn(brought))).toEqual([200, 'failed', reason]);
  });

  it('revokes only the phone for which device recall reports a flag', async () => {
    const recalled = { deviceIntegrity: { deviceRecall: { values: { bitSecond: true } } } };
    const stateOfDevice = async (deviceId: unknown) => {
      const { rows } = await db.query(
        `SELECT recall_status, reinstall_detected, device_flagged, revoked_for,
           recall_sealed IS NOT NULL AS is_kept FROM devices WHERE device_id = $1`,
        [deviceId],
      );
      return rows[0];
    };
    // A token over the nonce of another request does not identify this phone.
    const other = await checkOf(own.app_id);
    const foreign: Brought = (_nonce, key) => standard(recalled)('another', key);
    expect(stateOf(await other.handIn(foreign))).toEqual([200, 'failed', 'request_hash_mismatch']);
    expect(await stateOfDevice(other.deviceId())).toMatchObject({
      device_flagged: null,
      revoked_for: null,
    });
    const { deviceId, handIn } = await checkOf(own.app_id);
    expect(stateOf(await handIn(standard(recalled)))).toEqual([200, 'failed', 'device_flagged']);
    expect(await stateOfDevice(deviceId())).toEqual({
      recall_status: 'told',
      reinstall_detected: false,
      device_flagged: true,
      revoked_for: 'device_flagged',
      is_kept: true,
    });
    const again = await handIn(standard());
    expect([again.status, again.body['code']]).toEqual([403, 'device_revoked']);
  });

  it('judges by the newer of two Play verdicts and keeps it as evidence', async () => {
    const risk = { environmentDetails: { playProtectVerdict: 'HIGH_RISK' } };
    const { session, handIn } = await checkOf(own.app_id, risk);
    expect(stateOf(await handIn(standard()))).toEqual([200, 'passed', null]);
    const evidence = `/v2/trust-checks/${session.id}/evidence`;
    const { text } = await call('GET', evidence, { token: own.api_key });
    const files = text.trimEnd().split('\n');
    const verdicts = await Promise.all(
      files.map((line) => verifyAnyEvidence(readEvidenceFile(Buffer.from(line)))),
    );
    expect(verdicts.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['android-key-attestation', 'passed'],
      ['play-integrity', 'passed'],
      ['android-assertion', 'passed'],
    ]);
  });
});
