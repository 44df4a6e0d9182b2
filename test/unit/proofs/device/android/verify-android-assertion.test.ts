import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findKeys } from '../../../../../domain/judging/attested-keys.ts';
import { readEvidenceFile, type EvidenceFile } from '../../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../../domain/judging/verifiers.ts';
import { childrenOf, readElement } from '../../../../../domain/pki/read-der.ts';
import {
  verifyAndroidAssertion,
  type AndroidAssertionInput,
} from '../../../../../domain/proofs/device/android/verify-android-assertion.ts';
import { createAndroidPhone } from '../../../../../simulator/android/phone.ts';
import { element, integer, sequence } from '../../../../../simulator/der.ts';
import {
  app,
  at,
  challenge,
  flipped,
  judge,
  outcome,
  root,
} from '../../../../support/fixtures/devices/android-fixtures.ts';

const run = { seed: 20261121, numRuns: 300 } as const;
const phone = createAndroidPhone({ root, app, now: () => at });
const { publicKeySpki } = phone;
const clientData = Buffer.from('{"nonce":"n","method":"GET","path":"/v2/devices"}');
const signature = phone.sign(clientData);
const genuine: AndroidAssertionInput = { publicKeySpki, clientData, signature };
const judged = (changes: Partial<AndroidAssertionInput>): string =>
  outcome(verifyAndroidAssertion({ ...genuine, ...changes }));

/** The order of P-256 (SEC 2 §2.4.2). */
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
const invalid = 'signature_invalid at signature';

function scalarsOf(der: Uint8Array): [bigint, bigint] {
  const [r = 0n, s = 0n] = childrenOf(readElement(der).contents).map(({ contents }) =>
    BigInt(`0x${Buffer.from(contents).toString('hex')}`),
  );
  return [r, s];
}

const scalar = (value: bigint): Buffer => {
  const hex = value.toString(16);
  return integer(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'));
};

describe('a signature of an attested key', () => {
  it('passes, also after the phone was restarted', () => {
    const verdict = verifyAndroidAssertion(genuine);
    expect(verdict).toEqual({
      format: 'trustcheck-verdict/1',
      kind: 'android-assertion',
      verdict: 'passed',
      reason_code: null,
      checks: [
        { name: 'parse', result: 'ok' },
        { name: 'signature', result: 'ok' },
      ],
      facts: { public_key_spki: Buffer.from(publicKeySpki).toString('base64') },
    });
    const again = createAndroidPhone({ root, app, now: () => at, saved: phone.save() });
    expect(judged({ signature: again.sign(clientData) })).toBe('passed');
  });

  it('uses the key that the attestation names', () => {
    const { facts } = judge(phone.attest(challenge));
    expect(facts['public_key_spki']).toBe(Buffer.from(publicKeySpki).toString('base64'));
  });

  it('is distinguished from the signature of another key among the files of a check', async () => {
    const signedBy = (signer: typeof phone) =>
      readEvidenceFile(
        Buffer.from(
          JSON.stringify({
            format: 'trustcheck-evidence/1',
            images: [],
            kind: 'android-assertion',
            at: at.toISOString(),
            input: {
              signature: Buffer.from(signer.sign(clientData)).toString('base64'),
              public_key_spki: Buffer.from(signer.publicKeySpki).toString('base64'),
              client_data: clientData.toString('base64'),
            },
          }),
        ),
      );
    const attested = judge(phone.attest(challenge));
    const keys = findKeys();
    for (const signer of [phone, createAndroidPhone({ root, app, now: () => at })]) {
      const file = signedBy(signer);
      const verdict = await verifyAnyEvidence(file);
      expect(verdict.verdict).toBe('passed');
      keys.take(file, verdict);
      if (signer === phone) {
        // Of the attestation, only the kind and the key matter.
        const kind = 'android-key-attestation';
        expect(keys.verdict()).toBeNull();
        keys.take({ ...file, kind: 'emrtd' } as EvidenceFile, { ...attested, kind });
        expect(keys.verdict()).toBeNull();
      } else {
        expect(keys.verdict()).toMatchObject({
          verdict: 'failed',
          reason_code: 'public_key_mismatch',
          facts: { public_key_spki: Buffer.from(signer.publicKeySpki).toString('base64') },
        });
      }
    }
  });

  it('passes with a low s and with a high s', () => {
    for (let count = 0; count < 20; count += 1) {
      const [r, s] = scalarsOf(phone.sign(clientData));
      expect(judged({ signature: sequence(scalar(r), scalar(s)) })).toBe('passed');
      expect(judged({ signature: sequence(scalar(r), scalar(order - s)) })).toBe('passed');
    }
  });

  it('fails for other data, another key, another hash or another curve', () => {
    expect(judged({ clientData: Buffer.concat([clientData, Buffer.of(0x20)]) })).toBe(invalid);
    expect(judged({ clientData: Buffer.of() })).toBe(invalid);
    const other = createAndroidPhone({ root, app, now: () => at });
    expect(judged({ publicKeySpki: other.publicKeySpki })).toBe(invalid);
    const key = createPrivateKey(phone.save().keyPem);
    expect(judged({ signature: sign('sha512', clientData, key) })).toBe(invalid);
    for (const { publicKey, privateKey } of [
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ]) {
      const spki = createPublicKey(publicKey.export({ format: 'pem', type: 'spki' }));
      const foreign = {
        publicKeySpki: spki.export({ format: 'der', type: 'spki' }),
        signature: sign('sha256', clientData, privateKey),
      };
      expect(judged(foreign)).not.toBe('passed');
    }
  });
});

describe('a signature with invalid DER', () => {
  const [r, s] = scalarsOf(signature);
  const [rDer, sDer] = [scalar(r), scalar(s)];
  const contents = Buffer.concat([rDer, sDer]);
  const longForm = (tag: number, inner: Uint8Array): Buffer =>
    Buffer.concat([Buffer.of(tag, 0x81, inner.length), inner]);

  it.each([
    ['no content', Buffer.of()],
    ['r ‖ s', Buffer.concat([rDer.subarray(2), sDer.subarray(2)])],
    ['one scalar', sequence(rDer)],
    ['three scalars', sequence(integer(1), sDer, integer(1))],
    ['trailing bytes', Buffer.concat([signature, Buffer.of(0)])],
    ['a long-form length of the sequence', longForm(0x30, contents)],
    ['a long-form length of a scalar', sequence(rDer, longForm(0x02, sDer.subarray(2)))],
    ['an indefinite length', Buffer.concat([Buffer.of(0x30, 0x80), contents, Buffer.of(0, 0)])],
    ['a leading zero', sequence(element(0x02, Buffer.of(0), rDer.subarray(2)), sDer)],
    ['a negative scalar', sequence(element(0x02, Buffer.alloc(32, 0xff)), sDer)],
    ['an empty scalar', sequence(element(0x02), sDer)],
    ['a scalar of zero', sequence(integer(0), sDer)],
    ['a scalar of 33 octets', sequence(scalar(r + (1n << 256n)), sDer)],
    ['octet strings', sequence(element(0x04, rDer), element(0x04, sDer))],
    ['a set', element(0x31, contents)],
    ['a megabyte', Buffer.alloc(1_048_576, 0x30)],
  ])('is malformed: %s', (_, malformed) => {
    expect(judged({ signature: malformed })).toContain('malformed at parse');
  });

  it('is invalid when a scalar exceeds the order', () => {
    expect(judged({ signature: sequence(scalar(order), sDer) })).toBe(invalid);
    expect(judged({ signature: sequence(scalar(2n ** 256n - 1n), sDer) })).toBe(invalid);
  });
});

it('a signature fails with any bit changed, and for random bytes', () => {
  const any = fc.uint8Array({ maxLength: 120 });
  fc.assert(
    fc.property(fc.nat(), any, any, (seed, one, other) => {
      const bit = (file: Uint8Array): Uint8Array => flipped(file, seed % (file.length * 8));
      const changed: Partial<AndroidAssertionInput>[] = [
        { signature: bit(signature) },
        { clientData: bit(clientData) },
        { publicKeySpki: bit(publicKeySpki) },
        { signature: signature.subarray(0, seed % signature.length) },
        { publicKeySpki: publicKeySpki.subarray(0, seed % publicKeySpki.length) },
        { signature: one, publicKeySpki: other },
        { signature: sequence(one) },
      ];
      for (const changes of changed) {
        expect(judged(changes)).not.toBe('passed');
      }
    }),
    run,
  );
});
