import { createPublicKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyAppleAttestation } from '../../../../../domain/proofs/device/apple/verify-apple-attestation.ts';
import { appExtensions, type AttestationChanges } from '../../../../../simulator/apple/phone.ts';
import {
  createAppleDevelopmentRoots,
  extension,
  issueLeaf,
  newKey,
} from '../../../../../simulator/roots/apple.ts';
import {
  app,
  clientData,
  faults,
  foreign,
  judgeAttestation,
  mintAttestation,
  newPhone,
  partsOf,
  policy,
  rewritten,
  rootPem,
  roots,
} from '../../../../support/fixtures/devices/apple-fixtures.ts';
import { at, flipped, results } from '../../../../support/fixtures/passports/fixtures.ts';

const dayMs = 24 * 3600_000;
const other = Buffer.alloc(32, 7);
const otherKey = createPublicKey(newKey('prime256v1'));
const day = (days: number): Date => new Date(at.getTime() + days * dayMs);

const minted = (changes: AttestationChanges = {}) =>
  judgeAttestation(mintAttestation(changes).input);

describe.each(['production', 'development'] as const)(
  'a phone in the environment %s',
  (environment) => {
    it('makes attestations that pass, with and without the extensions of iOS 27', () => {
      for (const category of [undefined, null]) {
        const { phone, input } = mintAttestation({}, newPhone({ environment, category }));
        const verdict = verifyAppleAttestation({ ...policy, environment }, input, at);
        expect(faults(verdict)).toBe('passed');
        expect(results(verdict)['category']).toBe(category === null ? 'skipped' : 'ok');
        expect(verdict.facts).toEqual({
          public_key_spki: Buffer.from(phone.publicKeySpki).toString('base64'),
          environment,
          os_version: '27.0',
          ...(category === null ? {} : { category: environment === 'production' ? 4 : 3 }),
          receipt: {
            type: 'ATTEST',
            environment: environment === 'production' ? 'production' : 'sandbox',
            created_at: at.toISOString(),
            expires_at: day(90).toISOString(),
          },
          development_root: true,
        });
      }
    });
  },
);

describe('each check of an attestation', () => {
  it('chain: fails with another root, and without development roots', () => {
    const stranger = newPhone({ roots: { ...roots, attestationCa: foreign.attestationCa } });
    const { input } = mintAttestation({}, stranger);
    expect(judgeAttestation(input)).toBe('chain_untrusted at chain');
    const { rootPem: _rootPem, ...apple } = policy;
    const untrusted = verifyAppleAttestation(apple, mintAttestation().input, at);
    expect(faults(untrusted)).toBe('chain_untrusted at chain, receipt');
  });

  it('chain: fails with a CA as leaf, a leaf as CA, or an unknown critical extension', () => {
    expect(minted({ leaf: { isAuthority: true } })).toBe('chain_untrusted at chain');
    const critical = extension('1.2.3.4', Buffer.of(5, 0), true);
    expect(minted({ leaf: { extensions: [critical] } })).toBe('chain_untrusted at chain');
    const leaf = issueLeaf(roots, {
      publicKey: createPublicKey(roots.attestationCa.keyPem),
      appId: '',
      nonce: other,
      osVersion: '27.0',
      validity: { from: day(-1), to: day(1) },
    });
    const certificatePem = new X509Certificate(leaf).toString();
    const attestationCa = { ...roots.attestationCa, certificatePem };
    const { input } = mintAttestation({}, newPhone({ roots: { ...roots, attestationCa } }));
    expect(judgeAttestation(input)).toBe('chain_untrusted at chain');
  });

  it('chain: fails when the intermediate has another key than the one that signed', () => {
    const ca = foreign.attestationCa.certificatePem;
    const swapped = rewritten(mintAttestation(), ({ attStmt, ...rest }) => ({
      ...rest,
      attStmt: {
        ...attStmt,
        x5c: [attStmt.x5c[0], new Uint8Array(new X509Certificate(ca).raw)],
      },
    }));
    const trusting = { ...policy, rootPem: rootPem + foreign.rootPem };
    expect(faults(verifyAppleAttestation(trusting, swapped, at))).toBe('chain_untrusted at chain');
  });

  it('dates: fails for an expired or future leaf, and an expired intermediate', () => {
    for (const validity of [
      { from: day(-3), to: new Date(at.getTime() - 1_000) },
      { from: new Date(at.getTime() + 1_000), to: day(3) },
    ]) {
      expect(minted({ leaf: { validity } })).toBe('cert_expired at dates');
    }
    const aged = createAppleDevelopmentRoots(day(-11 * 365));
    const attestationCa = aged.attestationCa;
    const { input } = mintAttestation({}, newPhone({ roots: { ...roots, attestationCa } }));
    const trusting = { ...policy, rootPem: rootPem + aged.rootPem };
    expect(faults(verifyAppleAttestation(trusting, input, at))).toBe('cert_expired at dates');
  });

  it('nonce: fails for another or a short nonce', () => {
    expect(minted({ leaf: { nonce: other } })).toBe('nonce_mismatch at nonce');
    expect(minted({ leaf: { nonce: Buffer.alloc(31) } })).toBe('nonce_mismatch at nonce');
  });

  it('nonce: fails for an attestation that is replayed with other client data', () => {
    const { input } = mintAttestation();
    const replayed = { ...input, clientData: Buffer.from('another challenge') };
    expect(judgeAttestation(replayed)).toBe('nonce_mismatch at nonce, receipt');
  });

  it('key_id: fails when the app reports another key id', () => {
    const { input } = mintAttestation({ data: { credentialId: other } });
    expect(judgeAttestation({ ...input, keyId: other })).toBe('key_id_mismatch at key_id');
  });

  it('app_id: fails for authenticator data of another app', () => {
    expect(minted({ data: { appId: `${app.teamId}.com.example.other` } })).toBe(
      'app_id_mismatch at app_id',
    );
  });

  it('counter: fails unless it is zero', () => {
    for (const counter of [1, 0x80000000, 0xffffffff]) {
      expect(minted({ data: { counter } })).toBe('counter_nonzero at counter');
    }
  });

  it('environment: fails after a change of any byte of the identifier', () => {
    for (const text of ['appattestdevelop', 'appattest\0\0\0\0\0\0d', 'appattestation\0\0']) {
      expect(minted({ data: { aaguid: Buffer.from(text) } })).toBe(
        'environment_mismatch at environment',
      );
    }
  });

  it('environment: fails in production for a development attestation', () => {
    const { input } = mintAttestation({}, newPhone({ environment: 'development', category: 4 }));
    expect(judgeAttestation(input)).toBe('environment_mismatch at environment, receipt');
  });

  it('credential_id: fails when it is another, shorter or longer than that of the key', () => {
    for (const credentialId of [other, other.subarray(1), Buffer.concat([other, other])]) {
      expect(minted({ data: { credentialId } })).toBe('credential_id_mismatch at credential_id');
    }
  });

  it('public_key: fails when the leaf certifies another key', () => {
    expect(minted({ data: { publicKey: otherKey } })).toBe('public_key_mismatch at public_key');
  });

  it.each([
    [2, {}, 'category_refused at category'],
    [2, { categories: [4, 2] }, 'passed'],
    [3, {}, 'category_refused at category'],
    [4, { categories: [2] }, 'category_refused at category'],
    [5, {}, 'category_refused at category'],
    [0xffffffff, {}, 'category_refused at category'],
    [null, {}, 'passed'],
    [null, { requireCategory: true }, 'category_refused at category'],
  ])('category: returns the expected result for %s under %o', (category, changes, expected) => {
    const { input } = mintAttestation({ data: { extensions: appExtensions(category) } });
    expect(faults(verifyAppleAttestation({ ...policy, ...changes }, input, at))).toBe(expected);
  });

  it.each([
    [4, { bundleVersions: ['1'] }, 'passed'],
    [4, { bundleVersions: ['2', '1.0'] }, 'bundle_version_refused at bundle_version'],
    [4, { bundleVersions: [] }, 'bundle_version_refused at bundle_version'],
    [null, { bundleVersions: ['1'] }, 'bundle_version_refused at bundle_version'],
  ])(
    'bundle_version: returns the expected result for category %s under %o',
    (category, changes, expected) => {
      const { input } = mintAttestation({ data: { extensions: appExtensions(category) } });
      expect(faults(verifyAppleAttestation({ ...policy, ...changes }, input, at))).toBe(expected);
    },
  );

  it('receipt: fails for another app, key, challenge, environment or type', () => {
    const { attStmt } = partsOf(mintAttestation().input.attestation);
    for (const receipt of [
      { appId: 'X.y' },
      { attested: attStmt.x5c[0] ?? other },
      { clientDataHash: other },
      { clientDataHash: new Uint8Array() },
      { environment: 'sandbox' },
      { type: 'RECEIPT' },
    ] as const) {
      expect(minted({ receipt })).toBe('receipt_invalid at receipt');
    }
  });

  it('receipt: fails when it is foreign, changed or empty', () => {
    const { receiptCaPem, receiptRootPem, receiptSigner } = foreign;
    const strange = newPhone({
      roots: { ...roots, receiptCaPem, receiptRootPem, receiptSigner },
    });
    const invalid = 'receipt_invalid at receipt';
    expect(judgeAttestation(mintAttestation({}, strange).input)).toBe(invalid);
    const genuine = partsOf(mintAttestation().input.attestation).attStmt.receipt;
    for (const receipt of [genuine, flipped(genuine, 900 * 8), Uint8Array.of(0x30, 0)]) {
      const input = rewritten(mintAttestation(), ({ attStmt, ...rest }) => ({
        ...rest,
        attStmt: { ...attStmt, receipt },
      }));
      expect(judgeAttestation(input)).toBe(invalid);
    }
  });
});

describe('parse', () => {
  const edited = (edit: Parameters<typeof rewritten>[1]) =>
    judgeAttestation(rewritten(mintAttestation(), edit));

  it('refuses another format, and missing or wrong parts', () => {
    const malformed = /^malformed at parse/;
    expect(edited((parts) => ({ ...parts, fmt: 'packed' }))).toMatch(malformed);
    expect(edited(({ fmt, attStmt }) => ({ fmt, attStmt }))).toMatch(malformed);
    expect(edited((parts) => ({ ...parts, attStmt: [] }))).toMatch(malformed);
    expect(edited((parts) => ({ ...parts, authData: 'text' }))).toMatch(malformed);
    const withChain = (x5c: unknown) => (parts: { attStmt: object }) => ({
      ...parts,
      attStmt: { ...parts.attStmt, x5c },
    });
    const { x5c } = partsOf(mintAttestation().input.attestation).attStmt;
    for (const chain of [[], x5c.slice(1), [...x5c, ...x5c], ['a', 'b'], x5c[0]]) {
      expect(edited(withChain(chain))).toMatch(malformed);
    }
  });

  it('refuses trailing bytes after the attestation and after the extensions', () => {
    const { input } = mintAttestation();
    const attestation = Buffer.concat([input.attestation, Buffer.of(0)]);
    expect(judgeAttestation({ ...input, attestation })).toMatch(/^malformed at parse/);
    for (const extensions of [
      Buffer.concat([appExtensions(4), Buffer.of(0)]),
      Buffer.of(0x80),
      Buffer.from('a10102', 'hex'),
    ]) {
      expect(minted({ data: { extensions } })).toBe('malformed at parse');
    }
  });

  it('ignores unknown extensions, but not known ones of a wrong type', () => {
    const named = (name: string, value: string) =>
      Buffer.concat([
        Buffer.of(0xa1, 0x78, name.length),
        Buffer.from(name),
        Buffer.from(value, 'hex'),
      ]);
    expect(minted({ data: { extensions: named('something_of_next_year_01', '83010203') } })).toBe(
      'passed',
    );
    for (const value of ['04', '4104', '450400000000', '6404000000', 'f6']) {
      const extensions = named('apple_validation_category_01', value);
      expect(minted({ data: { extensions } })).toBe('malformed at parse');
    }
    expect(minted({ data: { extensions: named('apple_bundle_version_01', '01') } })).toBe(
      'malformed at parse',
    );
  });

  it('refuses client data that do not match their hash, and invalid hashes', () => {
    const { input } = mintAttestation();
    expect(judgeAttestation({ ...input, clientDataHash: other })).toMatch(/^malformed at parse/);
    const { clientData: _clientData, ...rest } = input;
    expect(judgeAttestation(rest)).toMatch(/^malformed at parse/);
    const raw = { ...rest, clientDataHash: clientData.subarray(0, 24) };
    expect(judgeAttestation(raw)).toMatch(/^malformed at parse/);
  });

  it('does not accept a certificate hidden in an extension of another', () => {
    const genuine = mintAttestation();
    const [leaf = other] = partsOf(genuine.input.attestation).attStmt.x5c;
    const pem = Buffer.from(`\n${new X509Certificate(leaf).toString()}`);
    const forger = newPhone({ roots: foreign });
    const { input } = mintAttestation(
      { leaf: { extensions: [extension('1.2.3.4', pem)] } },
      forger,
    );
    expect(judgeAttestation(input)).toMatch(/^malformed at parse/);
  });
});
