import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedDer, readElement } from '../../../domain/pki/read-der.ts';
import { keyDescriptionOid } from '../../../domain/proofs/device/android/key-description.ts';
import {
  verifyAndroidKeyAttestation,
  type AndroidPolicy,
} from '../../../domain/proofs/device/android/verify-android-key-attestation.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { entry } from '../../../simulator/android/key-description.ts';
import { element, integer, octetString, sequence } from '../../../simulator/der.ts';
import { authority, createAndroidDevelopmentRoot } from '../../../simulator/roots/android.ts';
import { extension } from '../../../simulator/roots/apple.ts';
import {
  at,
  bytes,
  challenge,
  description,
  flipped,
  mint,
  outcome,
  policy,
  policyFor,
  vectorOf,
} from '../../support/fixtures/devices/android-fixtures.ts';

const run = { seed: 20261121, numRuns: 300 } as const;
const remote = createAndroidDevelopmentRoot(at, { provisioning: 'remote' });

interface Genuine {
  readonly policy: AndroidPolicy;
  readonly chain: readonly Uint8Array[];
  readonly challenge: Uint8Array;
  readonly at: Date;
}

const recorded = (name: string): Genuine => {
  const { chain, challenge: asked = '', recordedAt = '' } = vectorOf(name);
  return { policy: {}, chain: chain.map(bytes), challenge: bytes(asked), at: new Date(recordedAt) };
};
const minted: Genuine = { policy, chain: mint(), challenge, at };

/** Returns the verdict; an exception or an endless loop fails the test. */
function judge({ policy: asked, chain, challenge: over, at: instant }: Genuine): Verdict {
  const verdict = verifyAndroidKeyAttestation(asked, { chain, challenge: over }, instant);
  expect(verdict.checks).toHaveLength(13);
  expect(verdict.verdict === 'passed').toBe(verdict.reason_code === null);
  return verdict;
}

describe.each([
  ['made here, of the factory', minted],
  ['made here, fetched later', { ...minted, policy: policyFor(remote), chain: mint({}, remote) }],
  ['of a Pixel 6', recorded('Pixel 6')],
  ['of a Nokia X10', recorded('Nokia X10')],
])('a genuine chain %s', (_, genuine) => {
  const { chain } = genuine;
  const changed = (index: number, certificate: Uint8Array): Genuine => ({
    ...genuine,
    chain: chain.with(index, certificate),
  });
  const place = fc.nat({ max: chain.length - 1 });

  it('passes', () => expect(outcome(judge(genuine))).toBe('passed'));

  it('fails with any flipped bit in any certificate', () => {
    fc.assert(
      fc.property(place, fc.nat(), (index, seed) => {
        const certificate = chain[index] ?? Buffer.of();
        const bit = seed % (certificate.length * 8);
        expect(judge(changed(index, flipped(certificate, bit))).verdict).toBe('failed');
      }),
      run,
    );
  });

  it('fails with any certificate cut or extended', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.uint8Array({ minLength: 1 }), (index, seed, tail) => {
        const certificate = chain[index] ?? Buffer.of();
        const cut = certificate.subarray(0, seed % certificate.length);
        expect(outcome(judge(changed(index, cut)))).toBe('malformed at parse');
        const longer = Buffer.concat([certificate, tail]);
        expect(outcome(judge(changed(index, longer)))).toBe('malformed at parse');
      }),
      { ...run, numRuns: 150 },
    );
  });

  it('fails with any other challenge', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (other) => {
        fc.pre(Buffer.compare(other, genuine.challenge) !== 0);
        expect(outcome(judge({ ...genuine, challenge: other }))).toBe(
          'challenge_mismatch at challenge',
        );
      }),
      { ...run, numRuns: 50 },
    );
  });
});

it('fails when replaced by random bytes', () => {
  const file = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 12 }), file, (chain, over) => {
      expect(judge({ ...minted, chain, challenge: over }).verdict).toBe('failed');
      const wrapped = chain.map((one) => element(0x30, element(0x30, one)));
      expect(judge({ ...minted, chain: wrapped }).verdict).toBe('failed');
    }),
    run,
  );
});

it('gets a verdict, never an exception, for a key description with a flipped bit', () => {
  fc.assert(
    fc.property(fc.nat({ max: description.length * 8 - 1 }), fc.nat(), (bit, length) => {
      judge({ ...minted, chain: mint({ description: flipped(description, bit) }) });
      const cut = description.subarray(0, length % description.length);
      const verdict = judge({ ...minted, chain: mint({ description: cut }) });
      expect(outcome(verdict)).toBe('malformed at parse');
    }),
    { ...run, numRuns: 150 },
  );
});

describe('hostile ASN.1', () => {
  const kib = 1_024;
  const deep = (tag: number, levels: number): Buffer =>
    Array.from({ length: levels }).reduce<Buffer>((inner) => element(tag, inner), Buffer.alloc(0));
  const bombs: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['zeroes', Buffer.alloc(12 * kib)],
    ['ones', Buffer.alloc(12 * kib, 0xff)],
    ['definite nesting', deep(0x30, 3_000)],
    ['indefinite nesting', Buffer.from('3080'.repeat(6_000), 'hex')],
    ['many siblings', element(0x30, Buffer.from('0500'.repeat(6_000), 'hex'))],
    ['a length of 4 GB', Buffer.from('3084ffffffff', 'hex')],
    ['a length of 2^1016', Buffer.from(`30ff${'ff'.repeat(127)}`, 'hex')],
    ['an endless tag', Buffer.alloc(12 * kib, 0xbf)],
    ['a huge object identifier', element(0x30, element(0x06, Buffer.alloc(12_000, 0x80)))],
    ['a huge integer', element(0x30, element(0x02, Buffer.alloc(12_000, 0x7f)))],
  ];

  it.each(bombs)('is malformed as a certificate: %s', (_, bomb) => {
    for (const index of [0, 1, 3]) {
      const chain = minted.chain.with(index, bomb);
      expect(outcome(judge({ ...minted, chain }))).toBe('malformed at parse');
    }
  });

  it.each(bombs)('is malformed as a key description: %s', (_, bomb) => {
    for (const signed of [bomb, element(0x30, bomb)]) {
      const chain = mint({ description: signed });
      expect(outcome(judge({ ...minted, chain }))).toBe('malformed at parse');
    }
  });

  it.each(bombs)(
    'never throws as a known or unknown entry of an authorization list: %s',
    (_, bomb) => {
      for (const number of [1, 2, 702, 704, 709, 725]) {
        const value = number === 709 ? octetString(bomb) : bomb;
        const last = sequence(entry(number, value));
        const key = { attestationVersion: 300, hardware: [entry(number, value)] };
        expect(judge({ ...minted, chain: mint({ key }) }).checks[1]?.result).toBe('ok');
        const lists = sequence(integer(300), element(0x0a, Buffer.of(1)), last);
        expect(judge({ ...minted, chain: mint({ description: lists }) }).verdict).toBe('failed');
      }
    },
  );

  it('is rejected in an extension of an issuer', () => {
    for (const [, bomb] of bombs) {
      for (const extensions of [
        [extension('2.5.29.19', bomb, true)],
        [authority(0)[0] ?? Buffer.of(), extension('2.5.29.15', bomb, true)],
        [...authority(0), extension(keyDescriptionOid, bomb)],
      ]) {
        const made = createAndroidDevelopmentRoot(at, {
          provisioning: 'remote',
          attestation: { extensions },
        });
        const chain = mint({}, made);
        expect(judge({ ...minted, policy: policyFor(made), chain }).verdict).toBe('failed');
      }
    }
  });

  it('is rejected by its size before it is parsed', () => {
    const large = Buffer.alloc(32 * kib * kib, 0x30);
    const before = process.memoryUsage().rss;
    expect(outcome(judge({ ...minted, chain: [large, large] }))).toBe('malformed at parse');
    const many = Array.from({ length: 100_000 }, () => Buffer.of(0x30));
    expect(outcome(judge({ ...minted, chain: many }))).toBe('malformed at parse');
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * kib * kib);
  });

  it('can have tags of at most four octets', () => {
    expect(readElement(Buffer.from('bf855800', 'hex')).tag).toBe(0xbf8558);
    expect(readElement(Buffer.from('bfffff7f00', 'hex')).tag).toBe(0xbfffff7f);
    expect(() => readElement(Buffer.from('bfffffff7f00', 'hex'))).toThrow(MalformedDer);
  });
});
