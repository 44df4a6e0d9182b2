import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EvidenceFileError } from '../../../../../domain/evidence/file.ts';
import { parseEvidence } from '../../../../../domain/judging/files.ts';
import { judgeAnyEvidence } from '../../../../../domain/judging/judge.ts';
import { verifyEvidence } from '../../../../../domain/judging/verifiers.ts';
import { decryptPlayToken } from '../../../../../domain/proofs/device/play/play-token.ts';
import { outcome } from '../../../../support/fixtures/devices/android-fixtures.ts';
import {
  at,
  certificateDigest,
  mintToken,
  newPlayKeys,
  packageName,
  payloadOf,
  requestHash,
  type Headers,
} from '../../../../support/fixtures/devices/play-fixtures.ts';

const keys = newPlayKeys();
const other = newPlayKeys();
const payload = payloadOf();
const { token, signed } = await mintToken(keys, payload);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const policy = {
  package: packageName,
  certificate_digests: [base64(certificateDigest)],
  decryption_key: base64(keys.decryptionKey),
  verification_key: base64(keys.verificationKey),
};
const input = { token, request_hash: requestHash };
const file = (changes: { policy?: object; input?: object } = {}) => ({
  format: 'trustcheck-evidence/1',
  images: [],
  kind: 'play-integrity',
  at: at.toISOString(),
  policy: { ...policy, ...changes.policy },
  input: { ...input, ...changes.input },
});
const judged = async (changes: { policy?: object; input?: object } = {}): Promise<string> =>
  outcome(await judgeAnyEvidence(file(changes)));

describe('a Play Integrity token', () => {
  it('passes encrypted, only signed, and as decoded by Google', async () => {
    const [one, two, three] = await Promise.all([
      judgeAnyEvidence(file()),
      judgeAnyEvidence(file({ input: { token: signed }, policy: { decryption_key: undefined } })),
      judgeAnyEvidence(file({ input: { token: undefined, payload } })),
    ]);
    expect(one.verdict).toBe('passed');
    expect(two).toEqual(one);
    expect(three).toEqual(one);
  });

  it('can be decrypted once, and kept without the decryption key', async () => {
    expect(await decryptPlayToken(token, keys.decryptionKey)).toBe(signed);
    expect(await decryptPlayToken(token, other.decryptionKey)).toBeNull();
    expect(await decryptPlayToken(`${token}${'A'.repeat(16_384)}`, keys.decryptionKey)).toBeNull();
  });

  it.each<[string, Headers]>([
    ['malformed at decode', { enc: 'A256CBC-HS512' }],
    ['malformed at decode', { enc: 'A128GCM' }],
    ['malformed at decode', { jweAlg: 'A256GCMKW' }],
    ['malformed at decode', { jweAlg: 'dir' }],
    ['malformed at decode', { alg: 'HS256' }],
  ])('fails as %s with another algorithm: %o', async (expected, headers) => {
    const minted = await mintToken(keys, payload, headers);
    expect(await judged({ input: { token: minted.token } })).toBe(expected);
  });

  it('is bound to the keys of this app', async () => {
    const key = (name: string, value: Uint8Array) => ({ policy: { [name]: base64(value) } });
    expect(await judged(key('verification_key', other.verificationKey))).toBe(
      'signature_invalid at decode',
    );
    for (const [name, value] of [
      ['decryption_key', other.decryptionKey],
      ['decryption_key', keys.decryptionKey.subarray(1)],
      ['verification_key', newPlayKeys('P-384').verificationKey],
      ['verification_key', Buffer.alloc(91)],
    ] as const) {
      expect(await judged(key(name, value))).toBe('malformed at decode');
    }
  });

  it('is malformed when it is unsigned or does not contain a JSON object', async () => {
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`;
    const { signed: text } = await mintToken(keys, 'no JSON');
    const { token: list } = await mintToken(keys, [payload]);
    for (const bad of ['', '..', '....', none, text, list, signed.repeat(20)]) {
      expect(await judged({ input: { token: bad } })).toBe('malformed at decode');
    }
  });

  it('fails with any character changed, removed or inserted', async () => {
    const changed = fc.tuple(fc.nat(token.length - 1), fc.constantFrom('', 'A', 'B', 'AA', '.'));
    await fc.assert(
      fc.asyncProperty(changed, fc.constantFrom(token, signed), async ([place, put], whole) => {
        const at = place % whole.length;
        const bad = `${whole.slice(0, at)}${put}${whole.slice(at + 1)}`;
        // The last bits of a part may be unused: then two spellings have the same bytes.
        const bytesOf = (text: string) => text.split('.').map((part) => base64Of(part));
        fc.pre(JSON.stringify(bytesOf(bad)) !== JSON.stringify(bytesOf(whole)));
        expect(await judged({ input: { token: bad } })).toMatch(/ at decode$/);
      }),
      { numRuns: 300 },
    );
  });
});

const base64Of = (part: string): string => Buffer.from(part, 'base64url').toString('hex');

describe('an evidence file with a Play Integrity token', () => {
  it.each<[string, { policy?: object; input?: object }]>([
    ['input: neither token nor payload, or both', { input: { payload } }],
    ['input: neither token nor payload, or both', { input: { token: undefined } }],
    ['input: neither request_hash nor nonce, or both', { input: { nonce: 'AAAA' } }],
    ['input: neither request_hash nor nonce, or both', { input: { request_hash: undefined } }],
    ['policy.package: missing', { policy: { package: undefined } }],
    ['policy.certificate_digests: missing', { policy: { certificate_digests: undefined } }],
    ['policy.version_min: not a number', { policy: { version_min: '42' } }],
    [
      'the file: decryption_key or verification_key: missing',
      { policy: { decryption_key: undefined } },
    ],
    [
      'the file: decryption_key or verification_key: missing',
      { policy: { verification_key: undefined } },
    ],
  ])('is refused as unreadable: %s', (line, changes) => {
    const read = () => parseEvidence(file(changes));
    expect(read).toThrow(EvidenceFileError);
    expect(read).toThrow(line);
  });

  it('is checked against version and verdicts, and only asynchronously', async () => {
    expect(await judged({ policy: { version_min: 43 } })).toBe('app_version_low at app');
    const strong = { policy: { verdicts: ['MEETS_STRONG_INTEGRITY'] } };
    expect(await judged(strong)).toBe('device_integrity_missing at device');
    expect(() => verifyEvidence(parseEvidence(file()))).toThrow(TypeError);
  });
});
