import { describe, expect, it } from 'vitest';
import { EvidenceFileError } from '../../../../../domain/evidence/file.ts';
import { readEvidenceFile } from '../../../../../domain/judging/files.ts';
import { verifyEvidence } from '../../../../../domain/judging/verifiers.ts';
import {
  app,
  at,
  challenge,
  mint,
  outcome,
  root,
} from '../../../../support/fixtures/devices/android-fixtures.ts';

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');
const chain = mint().map(base64);
const policy = {
  security_level_min: 'TRUSTED_ENVIRONMENT',
  require_locked: true,
  packages: [app.packageName],
  signature_digests: [base64(app.signatureDigest)],
  patch_level_min: 202_611,
  revocation: { entries: {} },
  root_pems: [root.rootPem],
};
const input = { chain, challenge: base64(challenge) };
const file = {
  format: 'trustcheck-evidence/1',
  images: [],
  kind: 'android-key-attestation',
  at,
  policy,
  input,
};

const read = (changes: Record<string, unknown>) =>
  readEvidenceFile(Buffer.from(JSON.stringify({ ...file, ...changes })));
const judged = (changes: Record<string, unknown> = {}): string =>
  outcome(verifyEvidence(read(changes)));

describe('an evidence file of an Android key', () => {
  it('passes with all optional policies', () => {
    const verdict = verifyEvidence(read({}));
    expect(verdict.verdict).toBe('passed');
    expect(verdict.kind).toBe('android-key-attestation');
    expect(verdict.checks.map(({ result }) => result)).toEqual(
      Array.from(verdict.checks, () => 'ok'),
    );
  });

  it.each([
    ['security_level_min', 'STRONG_BOX', 'security_level_low at security_level'],
    ['packages', ['com.example.other'], 'package_mismatch at application_id'],
    ['signature_digests', [base64(Buffer.alloc(32))], 'signature_mismatch at application_id'],
    ['patch_level_min', 202_612, 'patch_level_low at patch_level'],
    ['revocation', { entries: { 1: { status: 'REVOKED' } } }, 'key_revoked at revocation'],
    ['root_pems', undefined, 'root_untrusted at root'],
  ])('is checked against %s of its policy', (name, value, expected) => {
    expect(judged({ policy: { ...policy, [name]: value } })).toBe(expected);
  });

  it('is judged with Google’s roots when it has no policy', () => {
    expect(judged({ policy: undefined })).toBe('root_untrusted at root');
    const unlocked = mint({ key: { rootOfTrust: undefined } }).map(base64);
    const lenient = { ...policy, require_locked: false };
    expect(judged({ input: { ...input, chain: unlocked }, policy: lenient })).toBe('passed');
    expect(judged({ input: { ...input, chain: unlocked } })).toBe(
      'boot_unverified at root_of_trust',
    );
  });

  it('fails with a verdict for any content that decodes', () => {
    expect(judged({ input: { ...input, chain: [] } })).toBe('malformed at parse');
    expect(judged({ input: { ...input, chain: ['', 'AAAA'] } })).toBe('malformed at parse');
    expect(judged({ input: { ...input, challenge: '' } })).toBe('challenge_mismatch at challenge');
  });

  it.each([
    ['input.chain', { input: { challenge: '' } }],
    ['input.chain', { input: { ...input, chain: chain[0] } }],
    ['input.chain.1', { input: { ...input, chain: ['AAAA', '!'] } }],
    ['input.challenge', { input: { chain } }],
    ['input.challenge', { input: { chain, challenge: 'AAA' } }],
    ['policy', { policy: [] }],
    ['policy.security_level_min', { policy: { security_level_min: 'TEE' } }],
    ['policy.require_locked', { policy: { require_locked: 'yes' } }],
    ['policy.packages', { policy: { packages: 'com.example.trust' } }],
    ['policy.signature_digests.0', { policy: { signature_digests: ['AA:BB'] } }],
    ['policy.patch_level_min', { policy: { patch_level_min: '2026-11' } }],
    ['policy.patch_level_min', { policy: { patch_level_min: 2026 } }],
    ['policy.revocation', { policy: { revocation: [] } }],
    ['policy.revocation', { policy: { revocation: { entries: { x: {} } } } }],
    ['policy.root_pems', { policy: { root_pems: root.rootPem } }],
  ])('is refused as unreadable with another type in %s', (place, changes) => {
    expect(() => read(changes)).toThrow(EvidenceFileError);
    expect(() => read(changes)).toThrow(`${place}: `);
  });
});
