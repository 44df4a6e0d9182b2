import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyAppleAssertion } from '../../../domain/proofs/device/apple/verify-apple-assertion.ts';
import { verifyAppleAttestation } from '../../../domain/proofs/device/apple/verify-apple-attestation.ts';
import { verifyAppleReceipt } from '../../../domain/proofs/device/apple/verify-apple-receipt.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { signReceipt } from '../../../simulator/apple/receipt.ts';
import { element } from '../../../simulator/der.ts';
import {
  app,
  faults,
  mintAssertion,
  mintAttestation,
  partsOf,
  policy,
  rewritten,
  rootPem,
  roots,
  vectors,
} from '../../support/fixtures/devices/apple-fixtures.ts';
import { at, bytes, flipped } from '../../support/fixtures/passports/fixtures.ts';

const run = { seed: 20261121, numRuns: 200 } as const;
const kib = 1_024;

/** Returns the verdict; an exception or an endless loop fails the test. */
function judged(make: () => Verdict): Verdict {
  const verdict = make();
  expect(verdict.verdict === 'passed').toBe(verdict.reason_code === null);
  return verdict;
}

const minted = mintAttestation();
const mintedReceipt = partsOf(minted.input.attestation).attStmt.receipt;
const mintedAssertion = mintAssertion(minted.phone);
const [real] = vectors;
if (!real) throw new Error('no vectors');
const realApp = { teamId: real.teamId, bundleId: real.bundleId };
const recordedAt = new Date(real.recordedAt);

const judgeReceipt = (receipt: Uint8Array) =>
  judged(() => verifyAppleReceipt({ ...app, rootPem }, { receipt }, at));

const objects: [string, Uint8Array, (changed: Uint8Array) => Verdict][] = [
  [
    'an attestation',
    minted.input.attestation,
    (attestation) =>
      judged(() => verifyAppleAttestation(policy, { ...minted.input, attestation }, at)),
  ],
  [
    'an assertion',
    mintedAssertion.input.assertion,
    (assertion) =>
      judged(() =>
        verifyAppleAssertion(mintedAssertion.policy, { ...mintedAssertion.input, assertion }, at),
      ),
  ],
  ['a receipt', mintedReceipt, judgeReceipt],
  [
    'a real attestation',
    bytes(real.attestation),
    (attestation) =>
      judged(() =>
        verifyAppleAttestation(
          { ...realApp, environment: real.environment },
          {
            attestation,
            keyId: bytes(real.keyId),
            clientDataHash: bytes(real.clientDataHash),
          },
          recordedAt,
        ),
      ),
  ],
  [
    'a real receipt in DER',
    bytes(real.refreshedReceipts[0]?.receipt ?? ''),
    (receipt) => judged(() => verifyAppleReceipt(realApp, { receipt }, recordedAt)),
  ],
];

describe.each(objects)('%s', (_, object, judge) => {
  it('passes unchanged', () => {
    expect(faults(judge(object))).toBe('passed');
  });

  it('fails with a flipped bit in every seventh byte, and with random flipped bits', () => {
    for (let at = 0; at < object.length; at += 7) {
      expect(judge(flipped(object, at * 8 + (at % 8))).verdict).toBe('failed');
    }
    fc.assert(
      fc.property(fc.nat({ max: object.length * 8 - 1 }), (bit) => {
        expect(judge(flipped(object, bit)).verdict).toBe('failed');
      }),
      run,
    );
  });

  it('is malformed when cut at any length or extended', () => {
    for (let length = 0; length < object.length; length += 1) {
      expect(judge(object.subarray(0, length)).reason_code).toBe('malformed');
    }
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (tail) => {
        expect(judge(Buffer.concat([object, tail])).reason_code).toBe('malformed');
      }),
      { ...run, numRuns: 50 },
    );
  });

  it('fails with bytes inserted, removed or repeated', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: object.length - 1 }),
        fc.nat({ max: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        (start, length, replacement) => {
          const changed = Buffer.concat([
            object.subarray(0, start),
            replacement,
            object.subarray(start + length),
          ]);
          fc.pre(!changed.equals(object));
          expect(judge(changed).verdict).toBe('failed');
        },
      ),
      run,
    );
  });

  it('is malformed when replaced by random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (any) => {
        expect(judge(any).reason_code).toBe('malformed');
      }),
      run,
    );
  });
});

it('fails with any random key id, client data, key and root', () => {
  const any = fc.uint8Array({ maxLength: 100 });
  fc.assert(
    fc.property(any, any, fc.string(), (one, other, text) => {
      const input = { ...minted.input, keyId: one, clientData: other };
      expect(judged(() => verifyAppleAttestation(policy, input, at)).verdict).toBe('failed');
      const asserted = { ...mintedAssertion.input, publicKeySpki: one, clientDataHash: other };
      expect(judged(() => verifyAppleAssertion(mintedAssertion.policy, asserted, at)).verdict).toBe(
        'failed',
      );
      const held = { ...policy, rootPem: text };
      expect(judged(() => verifyAppleAttestation(held, minted.input, at)).verdict).toBe('failed');
      const known = { ...app, publicKeySpki: one, rootPem };
      const receipt = mintedReceipt;
      expect(judged(() => verifyAppleReceipt(known, { receipt }, at)).verdict).toBe('failed');
    }),
    { ...run, numRuns: 100 },
  );
});

describe('hostile CBOR', () => {
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  const bombs: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['zeroes', Buffer.alloc(15 * kib)],
    ['ones', Buffer.alloc(15 * kib, 0xff)],
    ['nested arrays', Buffer.alloc(15 * kib, 0x81)],
    ['nested arrays of no length', Buffer.alloc(15 * kib, 0x9f)],
    ['nested maps', hex('a100'.repeat(7 * kib))],
    ['nested maps as keys', Buffer.alloc(15 * kib, 0xa1)],
    ['nested tags', Buffer.alloc(15 * kib, 0xc1)],
    ['an array of 2^64 - 1', hex('9bffffffffffffffff')],
    ['an array of 2^32 - 1', hex('9affffffff')],
    ['a map of 2^64 - 1', hex('bbffffffffffffffff')],
    ['bytes of 2^63 - 1', hex('5b7fffffffffffffff')],
    ['text of 2^32 - 1', hex('7affffffff')],
    ['a number of 15 KiB', Buffer.concat([hex('c2593c00'), Buffer.alloc(15 * kib)])],
    ['many empty arrays', Buffer.concat([hex('993a98'), Buffer.alloc(15_000, 0x80)])],
    ['a map of equal keys', Buffer.concat([hex('b91d4c'), hex('00f6'.repeat(7_500))])],
    ['text that is not UTF-8', hex('a162fffe00')],
    ['16 MiB', Buffer.alloc(16 * kib * kib, 0x81)],
  ];

  it.each(bombs)('is malformed: %s', (_, bomb) => {
    for (const [name, , judge] of objects) {
      if (name.includes('receipt')) continue;
      expect(judge(bomb).reason_code).toBe('malformed');
    }
    for (const extensions of [bomb, Buffer.concat([hex('a16178'), bomb])]) {
      if (extensions.length === 0) continue;
      const { input } = mintAttestation({ data: { extensions } });
      const verdict = judged(() => verifyAppleAttestation(policy, input, at));
      expect(verdict.reason_code).toBe('malformed');
    }
  });
});

it('does not follow CBOR tags', () => {
  for (const tag of ['c0', 'd818', 'd81d', 'd9d9f7']) {
    for (const [name, object, judge] of objects) {
      if (name.includes('receipt')) continue;
      const tagged = Buffer.concat([Buffer.from(tag, 'hex'), object]);
      expect(judge(tagged).reason_code).toBe('malformed');
    }
  }
});

describe('hostile ASN.1', () => {
  const deep = (tag: number, levels: number): Buffer =>
    Array.from({ length: levels }).reduce<Buffer>((inner) => element(tag, inner), Buffer.alloc(0));
  const bombs: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['zeroes', Buffer.alloc(8 * kib)],
    ['definite nesting', deep(0x30, 2_000)],
    ['indefinite nesting', Buffer.from('3080'.repeat(4 * kib), 'hex')],
    ['nested string pieces', Buffer.from('2480'.repeat(4 * kib), 'hex')],
    ['many siblings', element(0x30, Buffer.from('0500'.repeat(4 * kib), 'hex'))],
    ['a length of 4 GB', Buffer.from('3084ffffffff', 'hex')],
    ['an endless tag', Buffer.alloc(8 * kib, 0x9f)],
    ['a huge object identifier', element(0x30, element(0x06, Buffer.alloc(8 * kib, 0x80)))],
  ];

  it.each(bombs)('is malformed as a receipt and inside one: %s', (_, bomb) => {
    expect(judgeReceipt(bomb).reason_code).toBe('malformed');
    expect(judgeReceipt(signReceipt(roots, bomb)).reason_code).toBe('malformed');
    expect(judgeReceipt(signReceipt(roots, element(0x31, bomb))).reason_code).toBe('malformed');
  });

  it.each(bombs)('is malformed as a certificate, and invalid as a receipt: %s', (_, bomb) => {
    const plain = new Uint8Array(bomb);
    const chained = rewritten(minted, ({ attStmt, ...rest }) => ({
      ...rest,
      attStmt: { ...attStmt, x5c: [plain, attStmt.x5c[1]] },
    }));
    expect(judged(() => verifyAppleAttestation(policy, chained, at)).reason_code).toBe('malformed');
    const receipted = rewritten(minted, ({ attStmt, ...rest }) => ({
      ...rest,
      attStmt: { ...attStmt, receipt: plain },
    }));
    const verdict = judged(() => verifyAppleAttestation(policy, receipted, at));
    expect(verdict.reason_code).toBe('receipt_invalid');
  });

  it('is rejected by its size before it is parsed', () => {
    const before = process.memoryUsage().rss;
    const large = element(0x30, Buffer.alloc(16 * kib * kib, 0x30));
    expect(judgeReceipt(large).reason_code).toBe('malformed');
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * kib * kib);
  });
});
