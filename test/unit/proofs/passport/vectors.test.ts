import { describe, expect, it } from 'vitest';
import { verifyActiveAuth } from '../../../../domain/proofs/passport/chip/active-auth.ts';
import { activeAuthHashOf, activeAuthKeyOf } from '../../../../domain/proofs/passport/data/lds.ts';
import {
  joinCscaStores,
  parseMasterList,
} from '../../../../domain/proofs/passport/signer/master-list.ts';
import { verifyEmrtd } from '../../../../domain/proofs/passport/verify-emrtd.ts';
import {
  at,
  bytes,
  flipped,
  germanList,
  judged,
  masterList,
  masterListRoot,
  mint,
  results,
  vector,
} from '../../../support/fixtures/passports/fixtures.ts';

interface SodVector {
  country: string;
  sod: string;
  cscaDer: string;
  facts: { dgHashAlg: string; sigAlgOid: string; ldsVersion: number };
}
interface ReferenceSet {
  set: string;
  sod: string;
  dg1: string;
  dg14: string;
  dg15: string;
  mrz: string;
  expected: { dg15: 'match' | 'absent' };
}
const sods: SodVector[] = JSON.parse(vector('nfc-sod.json').toString()).vectors;
const sets: ReferenceSet[] = JSON.parse(vector('nfc-reference-sets.json').toString()).vectors;
const activeAuth: { dg15: string; nonce: string; signature: string }[] = JSON.parse(
  vector('nfc-active-auth.json').toString(),
).vectors;

const algorithms: Record<string, string> = {
  AT: 'ecdsa-sha256',
  FI: 'ecdsa-sha512',
  FR: 'rsa-sha256',
  ID: 'rsa-pss-sha256',
  PH: 'rsa-pss-sha256',
  UK: 'ecdsa-sha256',
  AU: 'rsa-sha256',
};
const signerOk = {
  parse: 'ok',
  sod_signature: 'ok',
  dsc_chain: 'ok',
  csca_trusted: 'ok',
  dsc_dates: 'ok',
  revocation: 'skipped',
  dg_hashes: 'failed',
  mrz: 'skipped',
  expiry: 'skipped',
  active_auth: 'skipped',
  chip_auth: 'skipped',
};

describe.each(sods)('EF.SOD of a real passport, $country', ({ country, sod, cscaDer, facts }) => {
  const input = { sod: bytes(sod), dataGroups: {} };

  it('verifies up to its CSCA, and fails without DG1', () => {
    const verdict = verifyEmrtd({ csca: [bytes(cscaDer)] }, input, at);
    expect(results(verdict)).toEqual(signerOk);
    expect(verdict).toMatchObject({ verdict: 'failed', reason_code: 'dg1_missing' });
    expect(verdict.facts).toMatchObject({
      digest_algorithm: facts.dgHashAlg,
      signature_algorithm: algorithms[country],
      weak_algorithms: [],
      lds: { security_object: facts.ldsVersion, version: facts.ldsVersion === 1 ? '1.8' : null },
      levels: { passive: 'failed', active: 'absent', chip: 'absent' },
      unlisted_data_groups: [],
    });
  });

  it('chains to the German master list, except for Indonesia, which the list lacks', () => {
    const verdict = verifyEmrtd({ cscaStore: germanList() }, input, at);
    if (country === 'ID') {
      expect(results(verdict)).toMatchObject({ sod_signature: 'ok', csca_trusted: 'failed' });
      expect(verdict.reason_code).toBe('csca_not_trusted');
      expect(verdict.facts['csca_subject']).toBeNull();
    } else {
      expect(results(verdict)).toEqual(signerOk);
      const code = country === 'UK' ? 'GB' : country;
      expect(verdict.facts['csca_subject']).toMatch(new RegExp(`(^|,)C=${code}(,|$)`));
    }
  });

  it('is not trusted under the CSCA of another State', () => {
    const others = sods.filter((other) => other.country !== country);
    const policy = { csca: others.map((other) => bytes(other.cscaDer)) };
    expect(verifyEmrtd(policy, input, at)).toMatchObject({ reason_code: 'csca_not_trusted' });
  });
});

it('the signer of each SOD is found among more than 1,000 CSCAs', () => {
  const cscaStore = joinCscaStores([germanList(), parseMasterList(masterList, masterListRoot)]);
  expect(cscaStore.size).toBeGreaterThan(1_000);
  for (const { sod, country } of sods.filter((each) => each.country !== 'ID')) {
    const verdict = verifyEmrtd({ cscaStore }, { sod: bytes(sod), dataGroups: {} }, at);
    expect(results(verdict), country).toEqual(signerOk);
  }
});

describe.each(sets)('reference set: $set', ({ sod, dg1, dg14, dg15, mrz, expected }) => {
  it('verifies, and its data groups match the hashes of the SOD', () => {
    const input = { sod: bytes(sod), dataGroups: { DG1: bytes(dg1), DG14: bytes(dg14) } };
    const verdict = verifyEmrtd({}, input, at);
    expect(results(verdict)).toMatchObject({
      parse: 'ok',
      sod_signature: 'ok',
      csca_trusted: 'failed',
      dsc_dates: 'failed',
      dg_hashes: 'ok',
      mrz: 'ok',
      expiry: 'failed',
    });
    expect(verdict.reason_code).toBe('csca_not_trusted');
    expect(verdict.facts).toMatchObject({
      issuing_country: 'DEU',
      document_type: 'passport',
      expires_on: mrz.includes('F2310314') ? '2023-10-31' : '2013-10-31',
      claims: {
        full_name: 'ERIKA MUSTERMANN',
        date_of_birth: '1996-08-12',
        nationality: 'DEU',
        sex: 'F',
      },
    });
  });

  it('lists DG15 as its source says', () => {
    const dataGroups = { DG1: bytes(dg1), DG15: bytes(dg15) };
    const verdict = verifyEmrtd({}, { sod: bytes(sod), dataGroups }, at);
    const listed = expected.dg15 === 'match';
    expect(verdict.checks.find(({ name }) => name === 'dg_hashes')).toEqual(
      listed
        ? { name: 'dg_hashes', result: 'ok' }
        : { name: 'dg_hashes', result: 'failed', detail: 'DG15' },
    );
    expect(verdict.facts['unlisted_data_groups']).toEqual(listed ? [] : ['DG15']);
  });

  it('has a DG14 without information on active authentication', () => {
    expect(activeAuthHashOf(bytes(dg14))).toBeNull();
  });
});

describe('active authentication by a real chip (RSA 1,792 bits, SHA-256)', () => {
  const [real = { dg15: '', nonce: '', signature: '' }] = activeAuth;
  const key = activeAuthKeyOf(bytes(real.dg15));
  const challenge = Buffer.from(real.nonce, 'hex');
  const signature = bytes(real.signature);

  it('passes with its own challenge', () => {
    expect(key && verifyActiveAuth(key, challenge, signature, null)).toBe('ok');
  });

  it('fails with another challenge, and when changed or truncated', () => {
    const answers = [
      key && verifyActiveAuth(key, Buffer.alloc(8), signature, null),
      key && verifyActiveAuth(key, challenge.subarray(0, 7), signature, null),
      key && verifyActiveAuth(key, challenge, signature.subarray(1), null),
      key && verifyActiveAuth(key, challenge, Buffer.alloc(224, 0xff), null),
      key && verifyActiveAuth(key, challenge, Buffer.alloc(0), null),
      ...[0, 500, 1_791].map((bit) => {
        return key && verifyActiveAuth(key, challenge, flipped(signature, bit), null);
      }),
    ];
    expect(new Set(answers)).toEqual(new Set(['invalid']));
  });
});

describe('DG2 with a face in ISO/IEC 39794-5', () => {
  const dg2 = vector('nfc-dg2-iso39794-mand.dat');

  it('contains the JPEG 2000 file, and passes as a data group of a passport', () => {
    expect(dg2.includes(vector('nfc-dg2-iso39794-face.jp2'))).toBe(true);
    expect(judged(mint({ files: { DG2: dg2 } }))).toBe('passed');
  });

  it('fails after a change of one bit of the face', () => {
    const { policy, input } = mint({ files: { DG2: dg2 } });
    const dataGroups = { ...input.dataGroups, DG2: flipped(dg2, 72_000) };
    const verdict = verifyEmrtd(policy, { ...input, dataGroups }, at);
    expect(verdict.reason_code).toBe('dg_hash_mismatch');
    expect(verdict.checks.find(({ name }) => name === 'dg_hashes')?.detail).toBe('DG2');
  });
});
