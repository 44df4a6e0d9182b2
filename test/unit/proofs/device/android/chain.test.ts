import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyDescriptionOid } from '../../../../../domain/proofs/device/android/key-description.ts';
import { readStatusList } from '../../../../../domain/proofs/device/android/status-list.ts';
import {
  verifyAndroidKeyAttestation,
  type AndroidPolicy,
} from '../../../../../domain/proofs/device/android/verify-android-key-attestation.ts';
import type { Verdict } from '../../../../../domain/proofs/verdict.ts';
import type { AndroidChanges } from '../../../../../simulator/android/phone.ts';
import { sequence } from '../../../../../simulator/der.ts';
import {
  attestationIssuerOf,
  authority,
  certify,
  commonName,
  createAndroidDevelopmentRoot,
  nameOf,
  subjectOf,
  type AndroidProvisioning,
  type AndroidRootOptions,
} from '../../../../../simulator/roots/android.ts';
import { derOf, extension, newKey } from '../../../../../simulator/roots/apple.ts';
import {
  at,
  challenge,
  description,
  judge,
  mint,
  outcome,
  policyFor,
  root,
} from '../../../../support/fixtures/devices/android-fixtures.ts';

const secondMs = 1000;
const dayMs = 24 * 3600 * secondMs;
const days = (count: number, ms = 0): Date => new Date(at.getTime() + count * dayMs + ms);
const genuine = mint();
const issuer = attestationIssuerOf(root);

/** The verdict on a phone with its own root, which is trusted. */
function under(options: AndroidRootOptions, changes: AndroidChanges = {}): Verdict {
  const made = createAndroidDevelopmentRoot(at, options);
  return judge(mint(changes, made), policyFor(made));
}

describe('the certificate chain', () => {
  const other = { name: issuer.name, key: newKey('prime256v1') };
  const renamed = { name: nameOf([commonName, 'Somebody else']), key: issuer.key };
  it.each<[string, AndroidChanges]>([
    ['another key signed it', { leaf: { issuer: other } }],
    ['its issuer has another name', { leaf: { issuer: renamed } }],
  ])('is untrusted when %s', (_, changes) => {
    expect(outcome(judge(mint(changes)))).toBe('chain_untrusted at chain');
  });

  it.each([
    [
      'an unknown critical extension',
      [...authority(0), extension('1.2.3.4', Buffer.of(5, 0), true)],
    ],
  ])('is untrusted with %s', (_, extensions) => {
    const attestation = { extensions: extensions.map((one) => Buffer.from(one)) };
    expect(outcome(under({ attestation }))).toBe('chain_untrusted at chain');
  });

  const noAuthority: [string, Uint8Array[]][] = [
    ['that says nothing of a CA', []],
    ['that is marked as no CA', [extension('2.5.29.19', sequence(), true)]],
    ['without keyCertSign', [extension('2.5.29.15', Buffer.from('03020780', 'hex'), true)]],
  ];
  it.each(noAuthority)('of the factory passes with a batch certificate %s', (_, extensions) => {
    expect(outcome(under({ attestation: { extensions } }))).toBe('passed');
  });

  it.each(noAuthority)(
    'of remote or software provisioning is untrusted with an issuer %s',
    (_, extensions) => {
      for (const provisioning of ['remote', 'software'] as const) {
        const verdict = under({ provisioning, attestation: { extensions } });
        expect(outcome(verdict)).toMatch(/^chain_untrusted at chain/);
      }
    },
  );

  it('of the factory fails with a key description in its batch certificate', () => {
    const extensions = [extension(keyDescriptionOid, description)];
    expect(outcome(under({ attestation: { extensions } }))).toBe(
      'chain_untrusted at chain extension_position',
    );
  });

  it('is untrusted with an RSA key below 2048 bits', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const verdict = judge(mint({ leaf: { publicKey } }));
    expect(outcome(verdict)).toBe('chain_untrusted at chain origin');
    expect(verdict.checks.find(({ name }) => name === 'chain')?.detail).toBe(
      'certificate 0: RSA below 2048 bits',
    );
  });

  it('fails when the key of its leaf differs from the key description', () => {
    const kinds = [
      generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ed25519'),
    ];
    for (const { publicKey } of kinds) {
      expect(outcome(judge(mint({ leaf: { publicKey } })))).toBe('public_key_mismatch at origin');
    }
  });

  it('is untrusted when it exceeds the path length of an issuer', () => {
    const between = { name: nameOf([commonName, 'Between']), key: newKey('prime256v1') };
    const certificate = certify({
      issuer,
      subject: between.name,
      publicKey: createPublicKey(between.key),
      validity: { from: days(-1), to: days(1) },
      extensions: authority(0),
    });
    const [leaf = Buffer.of()] = mint({ leaf: { issuer: between } });
    const chain = [leaf, certificate, ...genuine.slice(1)];
    expect(outcome(judge(chain))).toBe('chain_untrusted at chain');
  });

  it('is untrusted when a certificate is moved, missing or repeated', () => {
    const [leaf = Buffer.of(), attesting = Buffer.of(), intermediate = Buffer.of()] = genuine;
    const last = genuine.slice(3);
    for (const chain of [
      [leaf, intermediate, attesting, ...last],
      [leaf, intermediate, ...last],
      [leaf, attesting, ...last],
      [leaf, attesting, attesting, intermediate, ...last],
      [leaf, leaf, attesting, intermediate, ...last],
      [leaf, ...last],
    ]) {
      expect(judge(chain).reason_code).toBe('chain_untrusted');
    }
    expect(outcome(judge([leaf]))).toBe('chain_untrusted at chain root');
    expect(judge(genuine.slice(0, -1)).reason_code).toBe('root_untrusted');
    expect(judge(genuine.toReversed()).reason_code).toBe('chain_untrusted');
  });

  it('has one to ten certificates', () => {
    const [leaf = Buffer.of()] = genuine;
    expect(outcome(judge([]))).toBe('malformed at parse');
    expect(outcome(judge(Array.from({ length: 11 }, () => leaf)))).toBe('malformed at parse');
  });
});

describe('the position of the key description', () => {
  it('must not be empty', () => {
    const without = judge(mint({ leaf: { extensions: [] } }));
    expect(outcome(without)).toBe('extension_missing at extension_position');
  });

  it('must be only the leaf', () => {
    const extensions = [...authority(0), extension(keyDescriptionOid, description)];
    const both = under({ attestation: { extensions } });
    expect(outcome(both)).toBe('extension_misplaced at extension_position');
    const above = under({ attestation: { extensions } }, { leaf: { extensions: [] } });
    expect(outcome(above)).toBe('extension_misplaced at extension_position');
  });

  it('is refused under an attested key as issuer', () => {
    const key = newKey('prime256v1');
    const subject = nameOf([commonName, 'Android Keystore Key']);
    const attested = mint({ leaf: { publicKey: createPublicKey(key) } });
    const [forged = Buffer.of()] = mint({ leaf: { issuer: { name: subject, key } } });
    const verdict = judge([forged, ...attested]);
    expect(outcome(verdict)).toBe('chain_untrusted at chain extension_position');
  });
});

describe('the root', () => {
  it('is untrusted unless it is pinned', () => {
    const foreign = mint({}, createAndroidDevelopmentRoot(at));
    expect(outcome(judge(foreign))).toBe('root_untrusted at root');
    expect(outcome(judge(genuine, { rootPems: undefined }))).toBe('root_untrusted at root');
    expect(outcome(judge(genuine, { rootPems: [] }))).toBe('root_untrusted at root');
    expect(outcome(judge(genuine, { rootPems: ['no PEM'] }))).toBe('malformed at root');
  });

  it('is identified by its key, and must be self-signed', () => {
    const key = newKey('secp384r1');
    const own = createAndroidDevelopmentRoot(at, { rootKey: key });
    const chain = mint({}, own);
    const name = subjectOf(derOf(own.rootPem));
    const copyBy = (signer: typeof key): Uint8Array =>
      certify({
        issuer: { name, key: signer },
        subject: name,
        publicKey: createPublicKey(key),
        validity: { from: days(-5000), to: days(-1000) },
        extensions: authority(),
      });
    const withRoot = (copy: Uint8Array) => judge([...chain.slice(0, -1), copy], policyFor(own));
    expect(outcome(withRoot(copyBy(key)))).toBe('passed');
    expect(outcome(withRoot(copyBy(newKey('secp384r1'))))).toBe('root_untrusted at root');
  });
});

describe('the validity dates', () => {
  const datesAt = (provisioning: AndroidProvisioning, instant: Date): string => {
    const made = createAndroidDevelopmentRoot(at, { provisioning });
    const input = { chain: mint({}, made), challenge };
    const verdict = verifyAndroidKeyAttestation(policyFor(made), input, instant);
    return verdict.checks.find(({ name }) => name === 'dates')?.result ?? '';
  };

  it.each([
    ['factory', days(0), 'ok'],
    ['factory', days(20_000), 'failed'],
    ['factory', days(-1), 'ok'],
    ['factory', days(-1, -secondMs), 'failed'],
    ['remote', days(0), 'ok'],
    ['remote', days(30), 'ok'],
    ['remote', days(30, secondMs), 'failed'],
    ['remote', days(-1, -secondMs), 'failed'],
    ['software', days(3650), 'ok'],
    ['software', days(3650, secondMs), 'failed'],
  ] as const)('of a chain by %s at %s are %s', (provisioning, instant, result) => {
    expect(datesAt(provisioning, instant)).toBe(result);
  });

  it('fail without any other check failing', () => {
    const remote = createAndroidDevelopmentRoot(at, { provisioning: 'remote' });
    const input = { chain: mint({}, remote), challenge };
    const verdict = verifyAndroidKeyAttestation(policyFor(remote), input, days(31));
    expect(outcome(verdict)).toBe('cert_expired at dates');
    expect(verdict.facts['provisioning']).toBe('remote');
  });

  it('of the leaf and of the root are ignored', () => {
    const validity = { from: days(10), to: days(-10) };
    const key = newKey('secp384r1');
    const remote = createAndroidDevelopmentRoot(at, { provisioning: 'remote', rootKey: key });
    const name = subjectOf(derOf(remote.rootPem));
    const copy = certify({
      issuer: { name, key },
      subject: name,
      publicKey: createPublicKey(key),
      validity,
      extensions: authority(),
    });
    const chain = [...mint({ leaf: { validity } }, remote).slice(0, -1), copy];
    expect(outcome(judge(chain, policyFor(remote)))).toBe('passed');
  });
});

describe('revocation', () => {
  const serials = genuine.map((one) => new X509Certificate(one).serialNumber);
  const listed = (serial: string, status = 'REVOKED'): AndroidPolicy => ({
    revocation: readStatusList({ entries: { [serial]: { status, reason: 'KEY_COMPROMISE' } } }),
  });

  it.each(serials)('refuses the certificate %s', (serial) => {
    for (const written of [serial.toLowerCase(), serial, `00${serial}`]) {
      expect(outcome(judge(genuine, listed(written)))).toBe('key_revoked at revocation');
    }
    expect(outcome(judge(genuine, listed(serial.toLowerCase(), 'SUSPENDED')))).toContain(
      'key_revoked',
    );
    expect(outcome(judge(genuine, listed(serial.toLowerCase(), 'NEW')))).toContain('key_revoked');
  });

  it('matches only the exact serial number', () => {
    for (const [index, serial] of serials.entries()) {
      if (index === 0) continue;
      const near = [`${serial}00`, serial.slice(2), BigInt(`0x${serial}`).toString()];
      for (const other of near) expect(outcome(judge(genuine, listed(other)))).toBe('passed');
    }
  });

  it('reads a serial number of decimal digits as hex, as phones encode it', () => {
    const serial = Buffer.from('17102468407102977850', 'hex');
    const made = createAndroidDevelopmentRoot(at, { attestation: { serial } });
    const revoking = { ...policyFor(made), ...listed('17102468407102977850') };
    const verdict = judge(mint({}, made), revoking);
    expect(outcome(verdict)).toBe('key_revoked at revocation');
  });

  it('is skipped without a list', () => {
    const verdict = judge(genuine, { revocation: undefined });
    expect(outcome(verdict)).toBe('passed');
    expect(verdict.checks[5]).toEqual({
      name: 'revocation',
      result: 'skipped',
      detail: 'revocation_unknown',
    });
  });
});
