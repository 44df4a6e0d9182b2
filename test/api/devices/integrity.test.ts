import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindingOf } from '../../../activities/proofs/device/google/play-integrity.ts';
import { readEvidenceFile } from '../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../domain/judging/verifiers.ts';
import { simulatedApp } from '../../../domain/proofs/device/simulated-app.ts';
import {
  enrolledPhone,
  freshNonce,
  newChallenge,
  newPhone,
  pairedSession,
  signedCall,
} from '../../support/checks/phone.ts';
import { classicBy, comingPhone, said } from '../../support/checks/play-phone.ts';
import { newPlayKeys } from '../../support/fixtures/devices/play-fixtures.ts';
import { call, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import {
  startPlayIntegrity,
  type PlayIntegrityStandIn,
} from '../../support/stand-ins/phones/play-integrity.ts';

const { own } = ownPlatform();
const { package: packageName, signature_digests: digests } = simulatedApp.android;
const keys = newPlayKeys();
const classic = classicBy(keys);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-play-'));
const readHeader = (attest: string): object =>
  JSON.parse(Buffer.from(attest, 'base64url').toString());
const unavailable = [503, 'dependency_unavailable'];
let play: PlayIntegrityStandIn;
/** One API decrypts tokens itself, the other asks Google. */
let local: SecondApi;
let asking: SecondApi;

beforeAll(async () => {
  play = await startPlayIntegrity(() => new Date());
  const path = (name: string, content: unknown): string => {
    writeFileSync(join(directory, name), JSON.stringify(content));
    return join(directory, name);
  };
  const ofApp = {
    decryption_key: keys.decryptionKey.toString('base64'),
    verification_key: keys.verificationKey.toString('base64'),
  };
  [local, asking] = await Promise.all([
    startSecondApi({ PLAY_INTEGRITY_KEYS: path('keys.json', { [packageName]: ofApp }) }),
    startSecondApi({
      PLAY_INTEGRITY_KEYS: path('no-keys.json', {}),
      PLAY_INTEGRITY_ACCOUNT: path('account.json', play.account),
      PLAY_INTEGRITY_URL: play.url,
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([local.stop(), asking.stop(), play.stop()]);
  rmSync(directory, { recursive: true });
});

describe('devices.enroll with Play Integrity', () => {
  it('accepts a classic token and stores it as evidence without the secret key', async () => {
    const { phone, binding, enrolled } = await comingPhone(own.app_id);
    expect((await enrolled(local.origin, await classic(binding))).status).toBe(201);
    const session = await pairedSession(phone, await newLink({ required_proofs: ['device'] }));
    const path = `/v2/trust-checks/${session.id}/proofs/device`;
    const proof = await signedCall(phone, 'POST', path, { token: session.token, body: {} });
    expect([proof.status, proof.body['status']]).toEqual([200, 'passed']);
    const evidence = `/v2/trust-checks/${session.id}/evidence`;
    const { text } = await call('GET', evidence, { token: own.api_key });
    const verdicts = await Promise.all(
      text
        .trimEnd()
        .split('\n')
        .map((line) => verifyAnyEvidence(readEvidenceFile(Buffer.from(line)))),
    );
    expect(verdicts.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['android-key-attestation', 'passed'],
      ['play-integrity', 'passed'],
      ['android-assertion', 'passed'],
    ]);
    expect(text).not.toContain(keys.decryptionKey.toString('base64'));
  });

  it('accepts tokens of the simulator if its Google Play is trusted', async () => {
    const path = join(ownPlatform().dataDir, 'dev-trust', 'play-keys.json');
    const trusting = await startSecondApi({ PLAY_INTEGRITY_KEYS: path });
    try {
      const phone = await newPhone('android');
      const body = await phone.enrollment(await newChallenge(), own.app_id);
      const { status } = await call('POST', '/v2/devices', { at: trusting.origin, body });
      expect(status).toBe(201);
      const known = await enrolledPhone('android');
      const session = await pairedSession(known, await newLink({ required_proofs: ['device'] }));
      const proof = await signedCall(
        known,
        'POST',
        `/v2/trust-checks/${session.id}/proofs/device`,
        { at: trusting.origin, token: session.token, body: {} },
      );
      expect([proof.status, proof.body['status']]).toEqual([200, 'passed']);
      const evidence = `/v2/trust-checks/${session.id}/evidence`;
      const { text } = await call('GET', evidence, { token: own.api_key });
      expect(text).toContain('"play-integrity"');
    } finally {
      await trusting.stop();
    }
  });

  it('accepts a standard token decoded by Google', async () => {
    const { binding, enrolled } = await comingPhone(own.app_id);
    const token = play.issue(packageName, said({ requestHash: binding }));
    expect((await enrolled(asking.origin, { token, request: 'standard' })).status).toBe(201);
  });

  it('sends a phone with a risk reported by Play to review', async () => {
    const { phone, binding, enrolled } = await comingPhone(own.app_id);
    const risk = { environmentDetails: { playProtectVerdict: 'HIGH_RISK' } };
    expect((await enrolled(local.origin, await classic(binding, risk))).status).toBe(201);
    const session = await pairedSession(phone, await newLink({ required_proofs: ['device'] }));
    const path = `/v2/trust-checks/${session.id}/proofs/device`;
    const proof = await signedCall(phone, 'POST', path, { token: session.token, body: {} });
    expect([proof.status, proof.body['status'], proof.body['reason_code']]).toEqual([
      200,
      'in_review',
      'device_risk',
    ]);
  });

  it.each<[string, (binding: string) => Promise<object | undefined>]>([
    ['integrity_missing', async () => undefined],
    ['request_hash_mismatch', () => classic(Buffer.alloc(32).toString('base64url'))],
    ['device_integrity_missing', (binding) => classic(binding, { deviceIntegrity: null })],
    [
      'verdict_unevaluated',
      (binding) => classic(binding, { accountDetails: { appLicensingVerdict: 'UNEVALUATED' } }),
    ],
    ['malformed', async () => ({ token: 'eyJ.eyJ.eyJ', request: 'classic' })],
  ])('refuses with %s and spends the challenge', async (reason_code, integrityOf) => {
    const { binding, enrolled } = await comingPhone(own.app_id);
    const refused = await enrolled(local.origin, await integrityOf(binding));
    expect([refused.status, refused.body['code']]).toEqual([403, 'attestation_refused']);
    expect(refused.body['reason_code']).toBe(reason_code);
    const again = await enrolled(local.origin, await classic(binding));
    expect(again.body['code']).toBe('challenge_unknown');
  });

  it('refuses only phones that device recall reports as flagged', async () => {
    const recalled = (bits: object) => ({ deviceIntegrity: { deviceRecall: { values: bits } } });
    for (const [bits, expected] of [
      [{ bitFirst: true, bitSecond: true }, [403, 'device_flagged']],
      [{ bitFirst: true, bitThird: true }, [201, undefined]],
      [{ bitSecond: 'yes' }, [201, undefined]],
    ] as const) {
      const { binding, enrolled } = await comingPhone(own.app_id);
      const answer = await enrolled(local.origin, await classic(binding, recalled(bits)));
      expect([answer.status, answer.body['reason_code']]).toEqual(expected);
    }
  });

  it('enforces the minimum version and integrity of the app', async () => {
    const appId = `strict-${process.pid}`;
    const android = {
      package: packageName,
      signature_digests: digests,
      version_min: 43,
      integrity_min: 'strong',
    };
    const body = { name: 'Strict', kind: 'sdk', android };
    const path = `/v2/accounts/${own.account_id}/apps/${appId}`;
    const made = await call('PUT', path, { token: own.api_key, body });
    expect([made.status, made.body['android']]).toEqual([201, android]);
    const strong = ['MEETS_DEVICE_INTEGRITY', 'MEETS_STRONG_INTEGRITY'];
    const strength = { deviceIntegrity: { deviceRecognitionVerdict: strong } };
    for (const [changes, expected] of [
      [strength, [403, 'app_version_low']],
      [{ appIntegrity: { versionCode: '43' } }, [403, 'device_integrity_missing']],
      [{ ...strength, appIntegrity: { versionCode: '43' } }, [201, undefined]],
    ] as const) {
      const { binding, enrolled } = await comingPhone(appId);
      const answer = await enrolled(local.origin, await classic(binding, changes));
      expect([answer.status, answer.body['reason_code']]).toEqual(expected);
    }
  });

  it('refuses a token that Google rejects', async () => {
    const { enrolled } = await comingPhone(own.app_id);
    const refused = await enrolled(asking.origin, { token: 'invented', request: 'standard' });
    expect([refused.status, refused.body['reason_code']]).toEqual([403, 'malformed']);
  });

  it('returns 503 while Google does not answer, and the challenge stays valid', async () => {
    const { binding, enrolled } = await comingPhone(own.app_id);
    const token = play.issue(packageName, said({ requestHash: binding }));
    play.failNext({ status: 503 });
    const down = await enrolled(asking.origin, { token, request: 'standard' });
    expect([down.status, down.body['code']]).toEqual(unavailable);
    expect((await enrolled(asking.origin, { token, request: 'standard' })).status).toBe(201);
  });

  it('returns 503 for a proof with a fresh token, which can be submitted again as one attempt', async () => {
    const { phone, key, binding, enrolled } = await comingPhone(own.app_id);
    const token = play.issue(packageName, said({ requestHash: binding }));
    expect((await enrolled(asking.origin, { token, request: 'standard' })).status).toBe(201);
    const session = await pairedSession(phone, await newLink({ required_proofs: ['device'] }));
    const path = `/v2/trust-checks/${session.id}/proofs/device`;
    const handIn = async () => {
      const nonce = await freshNonce(phone);
      const header = readHeader(await phone.attest({ method: 'POST', path, body: '{}' }, nonce));
      const requestHash = bindingOf(Buffer.from(nonce), key);
      const play_token = play.issue(packageName, said({ requestHash }));
      const attest = Buffer.from(JSON.stringify({ ...header, play_token })).toString('base64url');
      const at = asking.origin;
      return call('POST', path, { at, token: session.token, raw: '{}', headers: { attest } });
    };
    play.failNext({ status: 503 });
    const down = await handIn();
    expect([down.status, down.body['code']]).toEqual(unavailable);
    expect(down.headers.get('retry-after')).toMatch(/^\d+$/);
    const proof = await handIn();
    expect([proof.status, proof.body['status'], proof.body['attempt']]).toEqual([200, 'passed', 1]);
  });

  it('rejects malformed tokens and unknown kinds of request', async () => {
    const { enrolled } = await comingPhone(own.app_id);
    for (const [name, integrity] of [
      ['token', { token: 'not a token', request: 'classic' }],
      ['token', { token: 'A'.repeat(16 * 1024 + 1), request: 'classic' }],
      ['request', { token: 'A', request: 'express' }],
    ] as const) {
      const wrong = await enrolled(local.origin, integrity);
      expect([wrong.status, wrong.body['detail']]).toEqual([
        422,
        [expect.objectContaining({ loc: ['body', 'android', 'integrity', name] })],
      ]);
    }
  });
});

it('the API starts only if its Play Integrity files are valid', async () => {
  const path = join(directory, 'wrong.json');
  writeFileSync(path, JSON.stringify({ [packageName]: { decryption_key: 'AAAA' } }));
  for (const [name, file] of [
    ['PLAY_INTEGRITY_KEYS', path],
    ['PLAY_INTEGRITY_ACCOUNT', path],
    ['PLAY_INTEGRITY_KEYS', join(directory, 'missing.json')],
  ] as const) {
    await expect(startSecondApi({ [name]: file })).rejects.toThrow(`wrong settings: ${name}:`);
  }
});
