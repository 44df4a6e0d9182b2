import { describe, expect, it } from 'vitest';
import { readCountryCertificate } from '../../../../../domain/proofs/passport/signer/certificate.ts';
import { linkedStore } from '../../../../../domain/proofs/passport/signer/links.ts';
import { createCscaStore } from '../../../../../domain/proofs/passport/signer/master-list.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { createDevCsca, issueSigner, linkCsca } from '../../../../../simulator/roots/passport.ts';
import {
  at,
  csca as first,
  flipped,
  germanList,
  mint,
  outcome,
} from '../../../../support/fixtures/passports/fixtures.ts';

const second = createDevCsca(at, { commonName: 'CSCA Utopia 2', profile: 'brainpool-explicit' });
const third = createDevCsca(at, { commonName: 'CSCA Utopia 3', profile: 'rsa-pss' });
const stranger = createDevCsca(at, { commonName: 'CSCA Stranger' });
const [toSecond, toThird] = [linkCsca(first, second, at), linkCsca(second, third, at)];
const trusted = createCscaStore([first.certificate]);
const linked = (candidates: readonly Uint8Array[], triesMax?: number): Uint8Array[] =>
  linkedStore(trusted, candidates, triesMax).certificates.map(({ der }) => der);

describe('link certificates', () => {
  it('make the next key and the one after it trusted, in any order', () => {
    expect(linked([toThird, toSecond])).toEqual([toSecond, toThird]);
    const path = linkedStore(trusted, [toThird, toSecond]).pathOf(readCountryCertificate(toThird));
    expect(path.map(({ der }) => der)).toEqual([toThird, toSecond, first.certificate]);
  });

  it('make the self-signed certificate of the new key trusted', () => {
    expect(linked([second.certificate, toSecond])).toEqual([toSecond, second.certificate]);
    expect(linked([second.certificate])).toEqual([]);
  });

  it('are ignored when untrusted, changed or not for a CA', () => {
    expect(linked([linkCsca(stranger, second, at), stranger.certificate])).toEqual([]);
    expect(linked([toThird])).toEqual([]);
    expect(linked([flipped(toSecond, toSecond.length * 8 - 3)])).toEqual([]);
    expect(linked([issueSigner(first, at).certificate])).toEqual([]);
    expect(linked([Buffer.from('none'), Buffer.alloc(0)])).toEqual([]);
    expect(linked([toSecond], 0)).toEqual([]);
  });

  it('are ignored between States: a State introduces only its own keys', () => {
    const abroad = createDevCsca(at, { commonName: 'CSCA Abroad', country: 'QM' });
    expect(linked([linkCsca(first, abroad, at)])).toEqual([]);
    const german = germanList().certificates.filter(({ subject }) => subject.country === 'DE');
    const links = german.filter(({ authorityKeyId, subjectKeyId }) => {
      return authorityKeyId !== null && authorityKeyId !== subjectKeyId;
    });
    const roots = german.filter((each) => !links.includes(each));
    const store = createCscaStore(roots.slice(0, 1).map(({ der }) => der));
    const taken = linkedStore(
      store,
      germanList().certificates.map(({ der }) => der),
    );
    expect(taken.size).toBeGreaterThan(3);
    expect(new Set(taken.certificates.map(({ subject }) => subject.country))).toEqual(
      new Set(['DE']),
    );
  });
});

describe('a passport under a new CSCA key', () => {
  const { input } = mint({}, third);
  const judge = (policy: Parameters<typeof verifyEmrtd>[0]): string =>
    outcome(verifyEmrtd(policy, input, at));

  it('passes when links lead to a trusted CSCA, and fails without one of them', () => {
    const csca = [first.certificate];
    expect(judge({ csca, cscaLinks: [toSecond, toThird] })).toBe('passed');
    expect(judge({ csca, cscaLinks: [toThird] })).toBe('csca_not_trusted at csca_trusted');
    expect(judge({ csca })).toBe('csca_not_trusted at csca_trusted');
    expect(judge({ csca: [stranger.certificate], cscaLinks: [toSecond, toThird] })).toBe(
      'csca_not_trusted at csca_trusted',
    );
  });

  it('fails when the links start at the simulator’s State', () => {
    const cscaDevelopment = [first.certificate];
    expect(judge({ cscaDevelopment, cscaLinks: [toSecond, toThird] })).toBe(
      'csca_not_trusted at csca_trusted',
    );
  });
});
