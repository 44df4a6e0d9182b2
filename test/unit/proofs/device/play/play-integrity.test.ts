import { describe, expect, it } from 'vitest';
import {
  verifyPlayIntegrity,
  type PlayBinding,
  type PlayPolicy,
} from '../../../../../domain/proofs/device/play/verify-play-integrity.ts';
import { outcome } from '../../../../support/fixtures/devices/android-fixtures.ts';
import {
  at,
  certificateDigest,
  packageName,
  payloadOf,
  requestHash,
  type Changes,
} from '../../../../support/fixtures/devices/play-fixtures.ts';

const policy: PlayPolicy = { package: packageName, certificateDigests: [certificateDigest] };
const judged = (
  changes: Changes = {},
  asked: Partial<PlayPolicy> = {},
  binding: PlayBinding = { requestHash },
  when = at,
) => verifyPlayIntegrity({ ...policy, ...asked }, { payload: payloadOf(changes) }, binding, when);
const outcomeOf = (...of: Parameters<typeof judged>): string => {
  const verdict = judged(...of);
  const skipped = verdict.checks.filter(({ result }) => result === 'skipped');
  if (verdict.verdict !== 'inconclusive') return outcome(verdict);
  return `${verdict.reason_code} unsure at ${skipped.map(({ name }) => name).join(', ')}`;
};

it('an unmodified phone passes every check, and the facts contain Play’s verdict', () => {
  const verdict = judged();
  expect(verdict.checks.map(({ name, result }) => `${name} ${result}`)).toEqual([
    'decode ok',
    'testing ok',
    'package ok',
    'request ok',
    'freshness ok',
    'app ok',
    'device ok',
    'licence ok',
    'risk skipped',
  ]);
  expect([verdict.verdict, verdict.reason_code]).toEqual(['passed', null]);
  expect(verdict.facts).toEqual(payloadOf());
});

const device = (...verdicts: string[]): Changes => ({
  deviceIntegrity: { deviceRecognitionVerdict: verdicts },
});
const protect = (playProtectVerdict: string): Changes => ({
  environmentDetails: { playProtectVerdict },
});
const access = (...appsDetected: string[]): Changes => ({
  environmentDetails: { appAccessRiskVerdict: { appsDetected } },
});
const activity = (deviceActivityLevel: string): Changes => ({
  deviceIntegrity: {
    deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'],
    recentDeviceActivity: { deviceActivityLevel },
  },
});
const app = (change: Record<string, unknown>): Changes => ({ appIntegrity: change });
const strong = { verdicts: ['MEETS_STRONG_INTEGRITY'] };

describe('Play’s verdict', () => {
  it.each<[string, Changes, Partial<PlayPolicy>]>([
    ['testing_response at testing', { testingDetails: { isTestingResponse: true } }, {}],
    ['passed', { testingDetails: { isTestingResponse: false } }, {}],
    ['package_mismatch at package', { requestDetails: { requestPackageName: 'com.other' } }, {}],
    ['app_unrecognized at app', app({ appRecognitionVerdict: 'UNRECOGNIZED_VERSION' }), {}],
    ['app_unrecognized at app', app({ appRecognitionVerdict: 'UNKNOWN' }), {}],
    ['package_mismatch at app', app({ packageName: 'com.other' }), {}],
    ['package_mismatch at app', app({ packageName: undefined }), {}],
    ['signature_mismatch at app', app({ certificateSha256Digest: ['AAAA'] }), {}],
    ['signature_mismatch at app', app({ certificateSha256Digest: [] }), {}],
    ['passed', {}, { versionMin: 42 }],
    ['app_version_low at app', {}, { versionMin: 43 }],
    ['app_version_low at app', app({ versionCode: undefined }), { versionMin: 1 }],
    ['device_integrity_missing at device', device(), {}],
    ['device_integrity_missing at device', { deviceIntegrity: null }, {}],
    ['device_integrity_missing at device', device('MEETS_BASIC_INTEGRITY'), {}],
    ['device_integrity_missing at device', device('MEETS_VIRTUAL_INTEGRITY'), {}],
    [
      'device_integrity_missing at device',
      device('MEETS_DEVICE_INTEGRITY', 'MEETS_VIRTUAL_INTEGRITY'),
      {},
    ],
    ['device_integrity_missing at device', device('MEETS_DEVICE_INTEGRITY'), strong],
    ['passed', device('MEETS_DEVICE_INTEGRITY', 'MEETS_STRONG_INTEGRITY'), strong],
    ['device_integrity_missing at device', device('MEETS_BASIC_INTEGRITY'), { verdicts: [] }],
    ['passed', device('MEETS_VIRTUAL_INTEGRITY'), { verdicts: ['MEETS_VIRTUAL_INTEGRITY'] }],
    ['unlicensed at licence', { accountDetails: { appLicensingVerdict: 'UNLICENSED' } }, {}],
    ['passed', protect('NO_ISSUES'), {}],
    ['passed', protect('NO_DATA'), {}],
    ['passed', protect('POSSIBLE_RISK'), {}],
    ['passed', protect('MEDIUM_RISK'), {}],
    ['passed', access(), {}],
    ['passed', access('KNOWN_INSTALLED', 'UNKNOWN_INSTALLED', 'KNOWN_OVERLAYS'), {}],
    ['passed', activity('LEVEL_1'), {}],
    ['passed', activity('LEVEL_3'), {}],
  ])('%s: %o under %o', (expected, changes, asked) => {
    expect(outcomeOf(changes, asked)).toBe(expected);
  });

  it.each<[string, Changes]>([
    ['verdict_unevaluated unsure at app, risk', app({ appRecognitionVerdict: 'UNEVALUATED' })],
    [
      'verdict_unevaluated unsure at licence, risk',
      { accountDetails: { appLicensingVerdict: 'UNEVALUATED' } },
    ],
    ['verdict_unevaluated unsure at licence, risk', { accountDetails: null }],
    ['device_risk unsure at risk', protect('HIGH_RISK')],
    ['verdict_unevaluated unsure at risk', protect('UNEVALUATED')],
    ['device_risk unsure at risk', access('UNKNOWN_CAPTURING')],
    ['device_risk unsure at risk', access('KNOWN_INSTALLED', 'KNOWN_CONTROLLING')],
    ['verdict_unevaluated unsure at risk', { environmentDetails: { appAccessRiskVerdict: {} } }],
    ['device_risk unsure at risk', activity('LEVEL_4')],
    ['verdict_unevaluated unsure at risk', activity('UNEVALUATED')],
  ])('is not enough to pass, with %s: %o', (expected, changes) => {
    expect(outcomeOf(changes)).toBe(expected);
  });

  it('reports a failure before anything that was not evaluated', () => {
    const rooted = { ...device(), ...app({ appRecognitionVerdict: 'UNEVALUATED' }) };
    expect(outcomeOf(rooted)).toBe('device_integrity_missing at device');
  });
});

describe('the request', () => {
  const nonce = Buffer.alloc(32, 5).toString('base64url');
  it.each<[string, Record<string, unknown>, PlayBinding]>([
    ['passed', {}, { requestHash }],
    ['passed', { requestHash: undefined, nonce }, { nonce }],
    ['passed', { requestHash: undefined, nonce: `${nonce}=` }, { nonce }],
    ['request_hash_mismatch at request', {}, { requestHash: nonce }],
    ['request_hash_mismatch at request', { requestHash: undefined }, { requestHash }],
    ['request_hash_mismatch at request', { requestHash: '' }, { requestHash: '' }],
    [
      'request_hash_mismatch at request',
      { requestHash: requestHash.toLowerCase() },
      { requestHash },
    ],
    ['request_hash_mismatch at request', { requestHash: undefined, nonce }, { requestHash: nonce }],
    ['request_hash_mismatch at request', { requestHash: nonce }, { nonce }],
  ])('%s: %o for %o', (expected, requestDetails, binding) => {
    expect(outcomeOf({ requestDetails }, {}, binding)).toBe(expected);
  });

  it.each([
    ['passed', 0],
    ['passed', 600_000],
    ['token_stale at freshness', 600_001],
    ['passed', -600_000],
    ['token_stale at freshness', -600_001],
  ])('%s when the token is %i ms old', (expected, ageMs) => {
    const when = new Date(at.getTime() + ageMs);
    expect(outcomeOf({}, {}, { requestHash }, when)).toBe(expected);
  });
});

it.each<[unknown]>([
  [null],
  [[]],
  ['text'],
  [{}],
  [payloadOf({ requestDetails: null })],
  [payloadOf({ appIntegrity: null })],
  [payloadOf({ requestDetails: { timestampMillis: '1e3' } })],
  [payloadOf({ requestDetails: { timestampMillis: -1 } })],
  [payloadOf({ deviceIntegrity: { deviceRecognitionVerdict: 'MEETS_DEVICE_INTEGRITY' } })],
  [payloadOf({ appIntegrity: { certificateSha256Digest: Array.from({ length: 51 }, () => '') } })],
  [payloadOf({ testingDetails: { isTestingResponse: 'false' } })],
])('a malformed payload fails, and all other checks are skipped: %o', (payload) => {
  const verdict = verifyPlayIntegrity(policy, { payload }, { requestHash }, at);
  expect(outcome(verdict)).toBe('malformed at decode');
  expect(verdict.checks.slice(1).every(({ result }) => result === 'skipped')).toBe(true);
  expect(verdict.facts).toEqual({});
});
