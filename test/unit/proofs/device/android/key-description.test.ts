import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { childrenOf, readElement } from '../../../../../domain/pki/read-der.ts';
import {
  type AndroidPolicy,
  verifyAndroidKeyAttestation,
} from '../../../../../domain/proofs/device/android/verify-android-key-attestation.ts';
import { entry, type KeyStatement } from '../../../../../simulator/android/key-description.ts';
import { emulated, unlocked } from '../../../../../simulator/android/phone.ts';
import { element, integer, octetString, sequence } from '../../../../../simulator/der.ts';
import { createAndroidDevelopmentRoot } from '../../../../../simulator/roots/android.ts';
import {
  app,
  at,
  challenge,
  description,
  judge,
  mint,
  outcome,
  policy,
  policyFor,
} from '../../../../support/fixtures/devices/android-fixtures.ts';

const genuine = mint();
const parts = (): Uint8Array[] =>
  childrenOf(readElement(description).contents).map(({ whole }) => whole);
const contentsHex = (der: Uint8Array): string =>
  Buffer.from(readElement(der).contents).toString('hex');
/** The genuine description with these entries as its hardware-enforced list. */
const enforcing = (...entries: Uint8Array[]): Uint8Array =>
  sequence(...parts().slice(0, -1), sequence(...entries));
/** An application id with a package name that is not UTF-8. */
const nameless = sequence(
  element(0x31, sequence(octetString(Buffer.of(0xff)), integer(1))),
  element(0x31),
);
const rootOfTrust = (hex: string): Uint8Array =>
  entry(704, sequence(octetString(Buffer.alloc(32)), Buffer.from(hex, 'hex')));

it('a phone under a trusted root passes with every check ok', () => {
  const verdict = judge(genuine);
  expect(verdict.checks.map(({ name, result }) => `${name} ${result}`)).toEqual([
    'parse ok',
    'chain ok',
    'extension_position ok',
    'root ok',
    'dates ok',
    'revocation ok',
    'challenge ok',
    'security_level ok',
    'origin ok',
    'root_of_trust ok',
    'application_id ok',
    'patch_level ok',
    'purposes ok',
  ]);
  expect(verdict.facts).toEqual({
    development_root: true,
    attestation_version: 300,
    attestation_security_level: 'TRUSTED_ENVIRONMENT',
    keymint_version: 300,
    keymint_security_level: 'TRUSTED_ENVIRONMENT',
    challenge: challenge.toString('base64'),
    verified_boot_state: 'VERIFIED',
    device_locked: true,
    os_version: 160_000,
    os_patch_level: 202_611,
    packages: [app.packageName],
    signature_digests: [app.signatureDigest.toString('base64')],
    algorithm: 'EC',
    key_size: 256,
    ec_curve: 'P-256',
    purposes: ['SIGN'],
    origin: 'GENERATED',
    provisioning: 'factory',
    public_key_spki: new X509Certificate(genuine[0] ?? '').publicKey
      .export({ format: 'der', type: 'spki' })
      .toString('base64'),
  });
});

describe('the key description', () => {
  it.each([
    ['no content', Buffer.of()],
    ['another type', octetString(Buffer.from('x'))],
    ['no lists', sequence(integer(300))],
    ['a trailing byte', Buffer.concat([description, Buffer.of(0)])],
    ['an indefinite length', Buffer.from(`3080${contentsHex(description)}0000`, 'hex')],
    ['one element too many', sequence(...parts(), integer(1))],
    ['one element too few', sequence(...parts().slice(0, -1))],
    ['a huge version', sequence(integer(Buffer.alloc(100, 1)), ...parts().slice(1))],
    ['a negative version', sequence(element(0x02, Buffer.of(0xff)), ...parts().slice(1))],
    ['a repeated tag', enforcing(entry(724, integer(1)), entry(724, integer(1)))],
    ['purposes that are not a set', enforcing(entry(1, integer(2)))],
    ['an entry without a tag', enforcing(integer(1))],
    ['an entry with a tag of another class', enforcing(element(0x62, integer(3)))],
    ['a package name that is not a string', enforcing(entry(709, octetString(nameless)))],
    ['two values in an entry', enforcing(entry(702, Buffer.from('020100020100', 'hex')))],
    ['an empty entry', enforcing(entry(702, Buffer.of()))],
    ['a lock with the value 1 instead of TRUE', enforcing(rootOfTrust('0101010a0100'))],
    ['a lock of two octets', enforcing(rootOfTrust('0102ffff0a0100'))],
    ['a root of trust without lock', enforcing(rootOfTrust('0a0100'))],
    ['a root of trust with an extra member', enforcing(rootOfTrust('0101ff0a0100020100'))],
    ['an invalid application id', enforcing(entry(709, octetString(Buffer.of(1))))],
  ])('is malformed with %s', (_, malformed) => {
    expect(outcome(judge(mint({ description: malformed })))).toBe('malformed at parse');
  });

  it('may contain unknown tags, and may have any version', () => {
    for (const number of [7, 30, 31, 127, 128, 725, 999, 16_383]) {
      const hardware = [entry(number, element(0x30, integer(5)))];
      expect(outcome(judge(mint({ key: { hardware } })))).toBe('passed');
    }
    for (const attestationVersion of [1, 2, 3, 4, 100, 200, 300, 400, 500, 9_999]) {
      const verdict = judge(mint({ key: { attestationVersion } }));
      expect(outcome(verdict)).toBe('passed');
      expect(verdict.facts['attestation_version']).toBe(attestationVersion);
    }
  });

  it('is refused for a key of another algorithm, and the facts still contain the key', () => {
    const { publicKey } = generateKeyPairSync('ml-dsa-65');
    const verdict = judge(mint({ leaf: { publicKey } }));
    expect(outcome(verdict)).toBe('public_key_mismatch at origin');
    const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    expect(verdict.facts['public_key_spki']).toBe(spki);
  });
});

describe('the attested key', () => {
  const saying = (key: Partial<KeyStatement>, changes: AndroidPolicy = {}): string =>
    outcome(judge(mint({ key }), changes));

  it.each<[string, Uint8Array, Uint8Array]>([
    ['another', challenge, Buffer.from('another')],
    ['a longer', challenge, Buffer.concat([challenge, Buffer.of(0)])],
    ['a shorter', challenge, challenge.subarray(1)],
    ['no', Buffer.of(), Buffer.of()],
  ])('is refused with %s challenge', (_, asked, attested) => {
    const input = { chain: mint({ key: { challenge: attested } }), challenge: asked };
    const verdict = verifyAndroidKeyAttestation(policy, input, at);
    expect(outcome(verdict)).toBe('challenge_mismatch at challenge');
  });

  it.each([
    [0, 0, 'software_key at security_level'],
    [0, 1, 'software_key at security_level'],
    [1, 0, 'software_key at security_level'],
    [1, 2, 'security_level_mismatch at security_level'],
    [2, 1, 'security_level_mismatch at security_level'],
    [2, 2, 'security_level_mismatch at security_level'],
    [3, 3, 'security_level_low at security_level'],
    [100, 100, 'security_level_low at security_level'],
  ])(
    'is refused at attestation level %i and key level %i under a TEE chain',
    (level, keymint, expected) => {
      const entries = parts();
      entries[1] = element(0x0a, Buffer.of(level));
      entries[3] = element(0x0a, Buffer.of(keymint));
      expect(outcome(judge(mint({ description: sequence(...entries) })))).toBe(expected);
    },
  );

  it('counts as StrongBox only when the chain does too', () => {
    const made = createAndroidDevelopmentRoot(at, { hardware: 'StrongBox' });
    const asked: AndroidPolicy = { ...policyFor(made), securityLevelMin: 'STRONG_BOX' };
    const strong = { attestationSecurityLevel: 2, keymintSecurityLevel: 2 };
    const verdict = judge(mint({ key: strong }, made), asked);
    expect(outcome(verdict)).toBe('passed');
    expect(verdict.facts['keymint_security_level']).toBe('STRONG_BOX');
    expect(outcome(judge(mint({}, made), asked))).toBe('security_level_low at security_level');
    expect(saying({}, { securityLevelMin: 'STRONG_BOX' })).toBe(
      'security_level_low at security_level',
    );
  });

  it.each([1, 2, 3, 4, 5, undefined])('is refused with origin %s', (origin) => {
    expect(saying({ origin })).toBe('key_not_generated at origin');
  });

  it.each<[string, KeyStatement['rootOfTrust']]>([
    ['an open boot loader', { deviceLocked: false, verifiedBootState: 0 }],
    ['a self-signed system', { deviceLocked: true, verifiedBootState: 1 }],
    ['an unverified system', { deviceLocked: true, verifiedBootState: 2 }],
    ['a failed verification', { deviceLocked: true, verifiedBootState: 3 }],
    ['an unknown state', { deviceLocked: true, verifiedBootState: 4 }],
    ['no root of trust', undefined],
    ['an open boot loader and a failed verification', unlocked.rootOfTrust],
  ])('is refused with %s, unless the policy allows it', (_, state) => {
    expect(saying({ rootOfTrust: state })).toBe('boot_unverified at root_of_trust');
    expect(saying({ rootOfTrust: state }, { requireLocked: false })).toBe('passed');
  });

  it('must belong to an app of the policy', () => {
    const other = Buffer.alloc(32, 1);
    const mismatch = 'package_mismatch at application_id';
    expect(saying({ packages: ['com.example.other'] })).toBe(mismatch);
    expect(saying({ packages: [`${app.packageName}.other`] })).toBe(mismatch);
    expect(saying({ packages: [] })).toBe(mismatch);
    expect(saying({}, { packages: [] })).toBe(mismatch);
    expect(saying({ signatureDigests: [other] })).toBe('signature_mismatch at application_id');
    expect(saying({ signatureDigests: [] })).toBe('signature_mismatch at application_id');
    expect(saying({}, { signatureDigests: [] })).toBe('signature_mismatch at application_id');
    expect(saying({ packages: ['com.example.other', app.packageName] })).toBe('passed');
    expect(saying({ signatureDigests: [other, app.signatureDigest] })).toBe('passed');
    const nothingSaid = sequence(...parts().slice(0, -2), sequence(), parts().at(-1) ?? sequence());
    expect(outcome(judge(mint({ description: nothingSaid })))).toBe(mismatch);
    const notAsked = { packages: undefined, signatureDigests: undefined };
    expect(outcome(judge(mint({ description: nothingSaid }), notAsked))).toBe('passed');
  });

  it.each([
    [202_611, 'passed'],
    [20_261_105, 'passed'],
    [202_701, 'passed'],
    [202_610, 'patch_level_low at patch_level'],
    [20_261_031, 'patch_level_low at patch_level'],
    [0, 'patch_level_low at patch_level'],
    [undefined, 'patch_level_low at patch_level'],
  ])('with patch level %s is %s', (osPatchLevel, expected) => {
    expect(saying({ osPatchLevel })).toBe(expected);
    expect(saying({ osPatchLevel }, { patchLevelMin: undefined })).toBe('passed');
  });

  it.each([[[3]], [[7]], [[]], [undefined]])('is refused for purposes %j', (purposes) => {
    expect(saying({ purposes })).toBe('purpose_missing at purposes');
  });

  it('must have its properties in the hardware-enforced list', () => {
    const [software = sequence(), hardware = sequence()] = parts().slice(-2);
    const swapped = sequence(...parts().slice(0, -2), hardware, software);
    expect(outcome(judge(mint({ description: swapped })))).toBe(
      'key_not_generated at origin root_of_trust patch_level purposes',
    );
  });

  it('is refused on an emulator for all applicable reasons', () => {
    const software = createAndroidDevelopmentRoot(at, { provisioning: 'software' });
    expect(outcome(judge(mint({}, software)))).toBe(
      'root_untrusted at root security_level origin root_of_trust patch_level purposes',
    );
    expect(saying(emulated)).toBe(
      'software_key at security_level origin root_of_trust patch_level purposes',
    );
  });
});
