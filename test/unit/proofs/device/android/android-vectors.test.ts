import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readEvidenceFile } from '../../../../../domain/judging/files.ts';
import { verifyEvidence } from '../../../../../domain/judging/verifiers.ts';
import { googleRootPems } from '../../../../../domain/proofs/device/android/google-roots.ts';
import type { Verdict } from '../../../../../domain/proofs/verdict.ts';
import {
  bytes,
  outcome,
  root,
  vectorOf,
  vectors,
  type AndroidVector,
} from '../../../../support/fixtures/devices/android-fixtures.ts';

/** The vector as an evidence file, judged like `trustcheck evidence verify`. */
function judgeFile(
  { chain, challenge, expected }: AndroidVector,
  at: string,
  policy: Record<string, unknown> = {},
): Verdict {
  const asked = challenge ?? expected?.['attestationChallenge'];
  const file = {
    format: 'trustcheck-evidence/1',
    images: [],
    kind: 'android-key-attestation',
    at,
    policy,
    input: { chain, challenge: typeof asked === 'string' ? asked : '' },
  };
  return verifyEvidence(readEvidenceFile(Buffer.from(JSON.stringify(file))));
}

const anyBoot = { require_locked: false };

describe('attestations of genuine phones', () => {
  it.each([
    ['Pixel 6', '2023-04-14T14:30:22Z', 'remote'],
    ['Nokia X10', '2023-04-14T13:14:42Z', 'factory'],
  ])('of %s pass at the time of recording', (name, at, provisioning) => {
    const vector = vectorOf(name);
    const policy = {
      packages: ['at.asitplus.attestation_client'],
      signature_digests: ['NLl2LE1skNSEMZQMV73nMUJYsmQg7+Fqx/cnTw0zCtU='],
      patch_level_min: 202_303,
      security_level_min: 'TRUSTED_ENVIRONMENT',
      revocation: { entries: {} },
    };
    const verdict = judgeFile(vector, at, policy);
    expect(outcome(verdict)).toBe('passed');
    expect(verdict.checks.every(({ result }) => result === 'ok')).toBe(true);
    expect(verdict.facts['public_key_spki']).toBe(vector.publicKeySpki);
    expect(verdict.facts['provisioning']).toBe(provisioning);
    const beside = judgeFile(vector, at, {
      ...policy,
      root_pems: [...googleRootPems, root.rootPem],
    });
    expect([outcome(beside), beside.facts]).toEqual(['passed', verdict.facts]);
    expect(verdict.facts).not.toHaveProperty('development_root');
    const other = judgeFile({ ...vector, challenge: 'AAAA' }, at, policy);
    expect(outcome(other)).toBe('challenge_mismatch at challenge');
    const serial = new X509Certificate(bytes(vector.chain[1] ?? '')).serialNumber.toLowerCase();
    const revoked = { entries: { [serial]: { status: 'REVOKED', reason: 'KEY_COMPROMISE' } } };
    expect(outcome(judgeFile(vector, at, { ...policy, revocation: revoked }))).toBe(
      'key_revoked at revocation',
    );
  });

  it('of 2026 pass under the root of 2025 while their certificates are valid', () => {
    const challenge = 'NjQxN2Y5MmMtZGFlZi00Y2MxLTg4MjgtNWJiMzkzMzhmZmQ1';
    const vector = { ...vectorOf('tegu/sdk36/TEE_EC_2026_ROOT'), challenge };
    expect(outcome(judgeFile(vector, '2026-03-01T00:00:00Z'))).toBe('passed');
    for (const at of ['2026-02-22T00:06:16Z', '2026-03-08T00:26:01Z', '2026-11-21T00:00:00Z']) {
      expect(outcome(judgeFile(vector, at))).toBe('cert_expired at dates');
    }
  });

  it('with factory provisioning must be within their dates', () => {
    const late = judgeFile(vectorOf('Nokia X10'), '2040-01-01T00:00:00Z');
    expect(outcome(late)).toBe('cert_expired at dates');
    const early = judgeFile(vectorOf('Nokia X10'), '2019-01-01T00:00:00Z');
    expect(outcome(early)).toBe('cert_expired at dates');
  });

  it.each([
    ['akita/sdk34/SB_RSA_NONE', '2024-09-27T00:00:00Z'],
    ['akita/sdk34/TEE_RSA_NONE', '2024-09-27T00:00:00Z'],
    ['blueline/sdk28/SB_RSA_NONE', '2026-11-21T00:00:00Z'],
    ['blueline/sdk28/TEE_EC_NONE', '2026-11-21T00:00:00Z'],
    ['blueline/sdk28/TEE_RSA_NONE', '2026-11-21T00:00:00Z'],
    ['tegu/sdk37/TEE_MAX_USAGE_COUNT', '2026-07-07T00:00:00Z'],
  ])('pass except for the open boot loader: %s', (id, at) => {
    const vector = vectorOf(id);
    expect(outcome(judgeFile(vector, at))).toBe('boot_unverified at root_of_trust');
    expect(outcome(judgeFile(vector, at, anyBoot))).toBe('passed');
    const asksStrong = judgeFile(vector, at, { ...anyBoot, security_level_min: 'STRONG_BOX' });
    expect(outcome(asksStrong)).toBe(
      id.includes('SB') ? 'passed' : 'security_level_low at security_level',
    );
  });
});

describe('refused attestations', () => {
  it.each([
    ['Android Emulator', 'security_level origin root_of_trust purposes'],
    ['bq Aquaris X with LineageOS', 'security_level root_of_trust'],
    ['marlin/sdk29/TEE_EC_NONE', 'security_level root_of_trust'],
  ])('of %s have a software root', (name, rest) => {
    const verdict = judgeFile(vectorOf(name), '2023-09-10T00:00:00Z');
    expect(outcome(verdict)).toBe(`root_untrusted at root ${rest}`);
  });

  it.each([
    ['allow_while_on_body', 'chain_untrusted at chain root'],
    ['invalid/malformed_rot_device_locked', 'malformed at parse'],
    ['invalid/tags_not_in_ascending_order', 'chain_untrusted at chain root_of_trust'],
    ['p256_sha384_intermediate', 'malformed at parse root'],
  ])('of %s fail as %s', (id, expected) => {
    const bySaid = { ...vectorOf(id), challenge: saidBy(vectorOf(id)) };
    expect(outcome(judgeFile(bySaid, '2026-11-21T00:00:00Z'))).toBe(expected);
  });
});

it.each(vectors.filter(({ expected }) => expected).map((one) => [one.id, one] as const))(
  'the facts of %s are those that its publisher reports',
  (_, vector) => {
    const { facts } = judgeFile(vector, '2026-11-21T00:00:00Z');
    const said = vector.expected ?? {};
    const hardware = record(said['hardwareEnforced']);
    const app = record(record(said['softwareEnforced'])['attestationApplicationId']);
    const boot = record(hardware['rootOfTrust']);
    expect(facts).toMatchObject({
      attestation_version: Number(said['attestationVersion']),
      attestation_security_level: said['attestationSecurityLevel'],
      keymint_version: Number(said['keyMintVersion']),
      keymint_security_level: said['keyMintSecurityLevel'],
      challenge: said['attestationChallenge'],
      verified_boot_state: boot['verifiedBootState'] ?? null,
      device_locked: boot['deviceLocked'] ?? null,
      os_version: Number(hardware['osVersion'] ?? 0) || null,
      os_patch_level: Number(hardware['osPatchLevel'] ?? 0) || null,
      signature_digests: app['signatures'],
      algorithm: hardware['algorithms'] === '1' ? 'RSA' : 'EC',
      key_size: Number(hardware['keySize']),
      ec_curve: hardware['ecCurve'] === '1' ? 'P-256' : null,
      origin: hardware['origin'],
    });
    const names = Array.isArray(app['packages']) ? app['packages'].map(record) : [];
    expect(facts['packages']).toEqual(names.map(({ name }) => name));
    const numbers = { '2': 'SIGN', '3': 'VERIFY' };
    const purposes = Array.isArray(hardware['purposes']) ? hardware['purposes'].map(String) : [];
    expect(facts['purposes']).toEqual(purposes.map((one) => record(numbers)[one]));
  },
);

/** The challenge that the attestation itself contains. */
function saidBy(vector: AndroidVector): string {
  const { facts } = judgeFile(vector, '2026-11-21T00:00:00Z');
  const { challenge } = facts;
  return typeof challenge === 'string' ? challenge : '';
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
