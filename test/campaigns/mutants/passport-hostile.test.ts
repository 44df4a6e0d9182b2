import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyMrz } from '../../../domain/proofs/mrz/verify-mrz.ts';
import { verifyEmrtd } from '../../../domain/proofs/passport/verify-emrtd.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { element } from '../../../simulator/der.ts';
import { issueCrl } from '../../../simulator/roots/crl.ts';
import { createDevCsca } from '../../../simulator/roots/passport.ts';
import {
  at,
  bytes,
  csca,
  flipped,
  mint,
  outcome,
  results,
  vector,
} from '../../support/fixtures/passports/fixtures.ts';

const signedChecks = ['parse', 'sod_signature', 'dsc_chain', 'csca_trusted', 'dsc_dates'];
const run = { seed: 20261121, numRuns: 400 } as const;

/** Returns the verdict; an exception or an endless loop fails the test. */
function judge(...parameters: Parameters<typeof verifyEmrtd>): Verdict {
  const verdict = verifyEmrtd(...parameters);
  expect(verdict.checks).toHaveLength(11);
  expect(verdict.verdict === 'passed').toBe(verdict.reason_code === null);
  return verdict;
}

describe.each([
  ['EC', mint()],
  ['RSA-PSS', mint({ chipKey: 'rsa' }, createDevCsca(at, { profile: 'rsa-pss' }))],
])('a genuine passport, %s', (_, { policy, input }) => {
  const files: [string, Uint8Array][] = Object.entries(input.dataGroups);
  const bitOf = (file: Uint8Array) => fc.nat({ max: file.length * 8 - 1 });
  const lengthOf = (file: Uint8Array) => fc.nat({ max: file.length - 1 });

  it('fails with any flipped bit in EF.SOD', () => {
    fc.assert(
      fc.property(bitOf(input.sod), (bit) => {
        const verdict = judge(policy, { ...input, sod: flipped(input.sod, bit) }, at);
        expect(verdict.verdict).toBe('failed');
      }),
      run,
    );
  });

  it('fails with EF.SOD cut or extended', () => {
    fc.assert(
      fc.property(lengthOf(input.sod), fc.uint8Array({ minLength: 1 }), (length, tail) => {
        const cut = judge(policy, { ...input, sod: input.sod.subarray(0, length) }, at);
        expect(outcome(cut)).toBe('malformed at parse');
        const longer = judge(policy, { ...input, sod: Buffer.concat([input.sod, tail]) }, at);
        expect(longer.verdict).toBe('failed');
      }),
      run,
    );
  });

  it.each(files)('fails with any flipped bit in %s, or with that file cut', (name, file) => {
    fc.assert(
      fc.property(bitOf(file), lengthOf(file), (bit, length) => {
        for (const changed of [flipped(file, bit), file.subarray(0, length)]) {
          const dataGroups = { ...input.dataGroups, [name]: changed };
          const verdict = judge(policy, { ...input, dataGroups }, at);
          expect(outcome(verdict)).toBe('dg_hash_mismatch at dg_hashes');
        }
      }),
      { ...run, numRuns: 100 },
    );
  });

  it('fails with any flipped bit in the answer of the chip, or with that cut', () => {
    const signature = input.activeAuth?.signature ?? Buffer.alloc(1);
    const challenge = input.activeAuth?.nonce ?? Buffer.alloc(1);
    fc.assert(
      fc.property(bitOf(signature), bitOf(challenge), lengthOf(signature), (bit, other, length) => {
        for (const activeAuth of [
          { nonce: challenge, signature: flipped(signature, bit) },
          { nonce: flipped(challenge, other), signature },
          { nonce: challenge, signature: signature.subarray(0, length) },
        ]) {
          const verdict = judge(policy, { ...input, activeAuth }, at);
          expect(outcome(verdict)).toBe('aa_signature_invalid at active_auth');
        }
      }),
      { ...run, numRuns: 60 },
    );
  });
});

it('never passes with a flipped bit in the CRL', () => {
  const { policy, input, passport } = mint();
  const crl = Buffer.from(issueCrl(csca, [passport.signer.serial], at));
  fc.assert(
    fc.property(fc.nat({ max: crl.length * 8 - 1 }), (bit) => {
      const changed = { ...policy, crl: [flipped(crl, bit)] };
      expect(judge(changed, input, at).verdict).not.toBe('passed');
      const cut = { ...policy, crl: [crl.subarray(0, bit >> 3)] };
      expect(judge(cut, input, at).verdict).not.toBe('passed');
    }),
    run,
  );
});

it('fails with any flipped bit in a real EF.SOD, without an exception', () => {
  const sods: { sod: string; cscaDer: string }[] = JSON.parse(
    vector('nfc-sod.json').toString(),
  ).vectors;
  const isSigned = (sod: Uint8Array, csca: string): boolean => {
    const verdict = judge({ csca: [bytes(csca)] }, { sod, dataGroups: {} }, at);
    // Other checks fail without DG1 anyway, so only the affected checks count.
    return signedChecks.every((name) => results(verdict)[name] === 'ok');
  };
  for (const { sod, cscaDer } of sods) expect(isSigned(bytes(sod), cscaDer)).toBe(true);
  fc.assert(
    fc.property(fc.constantFrom(...sods), fc.nat(), ({ sod, cscaDer }, seed) => {
      const file = bytes(sod);
      const changed = flipped(file, seed % (file.length * 8));
      expect(isSigned(changed, cscaDer)).toBe(false);
    }),
    run,
  );
});

it('fails when replaced by random bytes', () => {
  const { policy, input } = mint();
  const file = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(file, fc.dictionary(fc.string(), file), file, file, (sod, extra, one, other) => {
      const groups = { ...input.dataGroups, ...extra, DG1: one, DG14: other, DG15: other };
      const activeAuth = { nonce: one, signature: other };
      expect(judge(policy, { sod, dataGroups: groups, activeAuth }, at).verdict).toBe('failed');
      const wrapped = element(0x77, element(0x30, sod));
      expect(judge(policy, { sod: wrapped, dataGroups: groups }, at).verdict).toBe('failed');
      const trust = { csca: [one], crl: [other], masterList: one, masterListRoot: other };
      expect(judge(trust, input, at).verdict).toBe('failed');
    }),
    run,
  );
});

it('gets a verdict for random MRZ lines', () => {
  const line = fc.oneof(
    fc.string({ maxLength: 50, unit: 'binary' }),
    ...[30, 36, 44].map((length) =>
      fc.string({
        minLength: length,
        maxLength: length,
        unit: fc.constantFrom(...'ABCDIPVUTO0123456789<<<<'),
      }),
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
      expect(verifyMrz({ lines }, at).checks).toHaveLength(4);
    }),
    { ...run, numRuns: 2_000 },
  );
});

describe('hostile ASN.1', () => {
  const kib = 1_024;
  const deep = (tag: number, levels: number): Buffer =>
    Array.from({ length: levels }).reduce<Buffer>((inner) => element(tag, inner), Buffer.alloc(0));
  const bombs: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['zeroes', Buffer.alloc(60 * kib)],
    ['ones', Buffer.alloc(60 * kib, 0xff)],
    ['definite nesting', deep(0x30, 5_000)],
    ['indefinite nesting', Buffer.from('3080'.repeat(30_000), 'hex')],
    ['nested string pieces', Buffer.from('2480'.repeat(30_000), 'hex')],
    ['many siblings', element(0x30, Buffer.from('0500'.repeat(30_000), 'hex'))],
    ['a length of 4 GB', Buffer.from('3084ffffffff', 'hex')],
    ['a length of 2^1016', Buffer.from(`30ff${'ff'.repeat(127)}`, 'hex')],
    ['an endless tag', Buffer.alloc(60 * kib, 0x9f)],
    ['a huge object identifier', element(0x30, element(0x06, Buffer.alloc(50_000, 0x80)))],
    ['a huge integer', element(0x30, element(0x02, Buffer.alloc(50_000, 0x7f)))],
  ];

  it.each(bombs)('is malformed: %s', (_, bomb) => {
    const { policy, input } = mint();
    expect(outcome(judge(policy, { ...input, sod: bomb }, at))).toBe('malformed at parse');
    const wrapped = element(0x77, bomb);
    expect(outcome(judge(policy, { ...input, sod: wrapped }, at))).toBe('malformed at parse');
    const dataGroups = { ...input.dataGroups, DG1: bomb, DG14: bomb, DG15: bomb };
    expect(judge(policy, { ...input, dataGroups }, at).reason_code).toBe('dg_hash_mismatch');
    const trust = { csca: [bomb], masterList: bomb, masterListRoot: bomb };
    expect(judge(trust, input, at).reason_code).toBe('csca_not_trusted');
    const listed = { ...policy, crl: [bomb] };
    expect(judge(listed, input, at).reason_code).toBe('revocation_unknown');
  });

  it('is malformed in a data group that a State signed', () => {
    const dg14 = element(0x6e, deep(0x31, 1_000));
    const signed = mint({ files: { DG14: dg14 } });
    const dg1 = mint({ files: { DG1: element(0x61, deep(0x30, 1_000)) } });
    expect(outcome(judge(signed.policy, signed.input, at))).toBe('malformed at active_auth');
    expect(outcome(judge(dg1.policy, dg1.input, at))).toBe('malformed at mrz');
    const unread = mint({ chipKey: 'rsa', files: { DG14: dg14 } });
    expect(outcome(judge(unread.policy, unread.input, at))).toBe('passed');
  });

  it('is rejected by its size before it is parsed', () => {
    const { policy, input } = mint();
    const sod = element(0x77, Buffer.alloc(64 * kib));
    expect(outcome(judge(policy, { ...input, sod }, at))).toBe('malformed at parse');
    const dataGroups = { ...input.dataGroups, DG2: Buffer.alloc(1_024 * kib + 1) };
    expect(outcome(judge(policy, { ...input, dataGroups }, at))).toBe('malformed at parse');
    const large = Buffer.from('0500'.repeat(4_000_000), 'hex');
    for (const list of [element(0x30, large), element(0x24, large), large]) {
      const before = process.memoryUsage().rss;
      judge({ masterList: list, masterListRoot: csca.certificate, crl: [list] }, input, at);
      expect(process.memoryUsage().rss - before).toBeLessThan(128 * kib * kib);
    }
  });
});
