import { describe, expect, it } from 'vitest';
import {
  createCscaStore,
  parseMasterList,
} from '../../../../../domain/proofs/passport/signer/master-list.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { Failure } from '../../../../../workflows/failures.ts';
import {
  at,
  bytes,
  csca,
  flipped,
  germanList,
  masterList,
  masterListRoot,
  mint,
  results,
  vector,
} from '../../../../support/fixtures/passports/fixtures.ts';

function faultOf(list: Uint8Array, root: Uint8Array): string | null {
  try {
    parseMasterList(list, root);
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.code).toBe('trust_list_invalid');
    return error.message;
  }
}

describe('the German master list', () => {
  it('has 588 readable certificates', () => {
    expect(germanList()).toMatchObject({ size: 588, unreadable: 0 });
  });

  it('verifies a real passport when the policy contains the list', () => {
    const [{ sod } = { sod: '' }] = JSON.parse(vector('nfc-sod.json').toString()).vectors;
    const policy = { masterList, masterListRoot };
    const verdict = verifyEmrtd(policy, { sod: bytes(sod), dataGroups: {} }, at);
    expect(results(verdict)).toMatchObject({ dsc_chain: 'ok', csca_trusted: 'ok' });
  });

  it('is refused with another root, changed or truncated', () => {
    const size = masterList.length;
    expect(faultOf(masterList, csca.certificate)).toBe('Its signer is not the root’s.');
    expect(faultOf(masterList, Buffer.alloc(0))).toMatch(/read/);
    expect(faultOf(flipped(masterList, size * 4), masterListRoot)).toMatch(/message digest/);
    expect(faultOf(flipped(masterList, size * 8 - 1), masterListRoot)).toMatch(/signature/);
    expect(faultOf(masterList.subarray(0, size - 1), masterListRoot)).not.toBeNull();
    expect(faultOf(Buffer.concat([masterList, Buffer.alloc(2)]), masterListRoot)).not.toBeNull();
    expect(faultOf(Buffer.alloc(17 * 1024 * 1024), masterListRoot)).toMatch(/16 MiB/);
  });

  it('makes a passport untrusted when the list itself is untrusted', () => {
    const [{ sod } = { sod: '' }] = JSON.parse(vector('nfc-sod.json').toString()).vectors;
    const input = { sod: bytes(sod), dataGroups: {} };
    for (const policy of [
      { masterList },
      { masterList, masterListRoot: csca.certificate },
      { masterList: flipped(masterList, 4_000_000), masterListRoot },
    ]) {
      const verdict = verifyEmrtd(policy, input, at);
      expect(verdict.reason_code).toBe('csca_not_trusted');
      expect(results(verdict)).toMatchObject({ sod_signature: 'ok', csca_trusted: 'failed' });
    }
  });

  it('is not an EF.SOD', () => {
    const { input } = mint();
    expect(faultOf(input.sod.subarray(4), csca.certificate)).toMatch(/no master list/);
  });
});

describe('a CSCA store', () => {
  it('distinguishes the simulator’s State from real ones', () => {
    const { input } = mint();
    const trusted = [csca.certificate];
    const simulated = verifyEmrtd({ csca: [], cscaDevelopment: trusted }, input, at);
    expect(simulated).toMatchObject({ verdict: 'passed', facts: { development_root: true } });
    for (const policy of [{ csca: trusted }, { csca: trusted, cscaDevelopment: [] }]) {
      const real = verifyEmrtd(policy, input, at);
      expect(real.verdict).toBe('passed');
      expect(real.facts).not.toHaveProperty('development_root');
    }
  });

  it('skips and counts unreadable certificates', () => {
    const store = createCscaStore([csca.certificate, Buffer.from('none'), Buffer.alloc(0)]);
    expect(store).toMatchObject({ size: 1, unreadable: 2 });
    const { input } = mint();
    expect(verifyEmrtd({ cscaStore: store }, input, at).verdict).toBe('passed');
  });

  it('does not trust a certificate with a broken signature', () => {
    const { input } = mint();
    const damaged = flipped(csca.certificate, csca.certificate.length * 8 - 3);
    const verdict = verifyEmrtd({ csca: [damaged] }, input, at);
    expect(verdict.reason_code).toBe('csca_not_trusted');
  });
});
