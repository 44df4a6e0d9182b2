import { describe, expect, it } from 'vitest';
import { verifyEmrtd } from '../../../../domain/proofs/passport/verify-emrtd.ts';
import { issueCrl } from '../../../../simulator/roots/crl.ts';
import {
  createDevCsca,
  exportDevCsca,
  importDevCsca,
  issueSigner,
} from '../../../../simulator/roots/passport.ts';
import {
  at,
  csca,
  holder,
  judged,
  mint,
  outcome,
  results,
  vector,
  withGroup,
} from '../../../support/fixtures/passports/fixtures.ts';

const second = 1_000;
const day = 24 * 3_600 * second;
const later = (ms: number): Date => new Date(at.getTime() + ms);
describe('a genuine passport', () => {
  it('passes, and returns the holder’s claims', () => {
    const { policy, input } = mint();
    const crl = [issueCrl(csca, [], at)];
    const verdict = verifyEmrtd({ ...policy, crl }, input, at);
    expect(verdict).toEqual({
      format: 'trustcheck-verdict/1',
      kind: 'emrtd',
      verdict: 'passed',
      reason_code: null,
      checks: [
        ...[
          'parse',
          'sod_signature',
          'dsc_chain',
          'csca_trusted',
          'dsc_dates',
          'revocation',
          'dg_hashes',
          'mrz',
          'expiry',
          'active_auth',
        ].map((name) => ({ name, result: 'ok' })),
        { name: 'chip_auth', result: 'skipped', detail: 'not provable by files' },
      ],
      facts: {
        issuing_country: 'UTO',
        document_type: 'passport',
        document_number_hash: '5dd405f718715ff5114948365fe91b68435796955de80bfa70cb5b25d5378af3',
        expires_on: '2032-04-15',
        levels: { passive: 'ok', active: 'ok', chip: 'absent' },
        clonable: false,
        lds: { security_object: 0, version: null },
        face: null,
        digest_algorithm: 'sha256',
        signature_algorithm: 'ecdsa-sha256',
        weak_algorithms: [],
        csca_subject: 'C=UT,O=Utopia,CN=CSCA Utopia (development)',
        claims: {
          full_name: 'ANNA MARIA ERIKSSON',
          date_of_birth: '1974-08-12',
          nationality: 'UTO',
          sex: 'F',
        },
        unlisted_data_groups: [],
      },
    });
  });

  it('passes with explicit brainpool parameters in every key, and EC active authentication', () => {
    const issuer = createDevCsca(at, { profile: 'brainpool-explicit' });
    const minted = mint({}, issuer);
    const primeField = Buffer.from('06072a8648ce3d0101', 'hex');
    expect(Buffer.from(issuer.certificate).includes(primeField)).toBe(true);
    expect(Buffer.from(minted.input.dataGroups['DG15'] ?? []).includes(primeField)).toBe(true);
    expect(judged(minted)).toBe('passed');
  });

  it('passes with RSA-PSS signatures and RSA active authentication', () => {
    const issuer = createDevCsca(at, { profile: 'rsa-pss' });
    const { policy, input } = mint({ chipKey: 'rsa' }, issuer);
    const verdict = verifyEmrtd(policy, input, at);
    expect(outcome(verdict)).toBe('passed');
    expect(verdict.facts).toMatchObject({
      signature_algorithm: 'rsa-pss-sha256',
      levels: { active: 'ok' },
    });
  });

  it('passes under a CSCA kept as PEM between runs', () => {
    const kept = importDevCsca(exportDevCsca(csca));
    expect(kept.profile).toBe('p256');
    expect(judged({ ...mint({}, kept), policy: { csca: [csca.certificate] } })).toBe('passed');
  });
});

describe('passive authentication', () => {
  it('refuses a changed DG1', () => {
    const { policy, input } = mint();
    const { input: other } = mint({ holder: { ...holder, givenNames: 'Anne Maria' } });
    const changed = withGroup(input, 'DG1', other.dataGroups['DG1'] ?? Buffer.alloc(0));
    const verdict = verifyEmrtd(policy, changed, at);
    expect(outcome(verdict)).toBe('dg_hash_mismatch at dg_hashes');
    expect(verdict.facts['levels']).toMatchObject({ passive: 'failed' });
  });

  it('refuses a data group that the SOD does not list, under any name', () => {
    const { policy, input } = mint();
    const dg2 = vector('nfc-dg2-iso39794-mand.dat');
    for (const name of ['DG2', 'DG0', 'DG17', 'DG01', 'dg1', '__proto__x', 'COM']) {
      const verdict = verifyEmrtd(policy, withGroup(input, name, dg2), at);
      expect(outcome(verdict)).toBe('dg_not_in_sod at dg_hashes');
      expect(verdict.facts['unlisted_data_groups']).toEqual([name]);
    }
  });

  it('refuses a passport without DG1, even when its SOD is valid', () => {
    const { policy, input } = mint();
    const { DG1: _, ...dataGroups } = input.dataGroups;
    const verdict = verifyEmrtd(policy, { ...input, dataGroups }, at);
    expect(outcome(verdict)).toBe('dg1_missing at dg_hashes');
    expect(results(verdict)).toMatchObject({ sod_signature: 'ok', csca_trusted: 'ok' });
  });

  it('refuses a broken signature', () => {
    const { policy, input } = mint();
    const sod = Buffer.from(input.sod);
    sod[sod.length - 1] = (sod.at(-1) ?? 0) ^ 1;
    const verdict = verifyEmrtd(policy, { ...input, sod }, at);
    expect(outcome(verdict)).toBe('sod_signature_invalid at sod_signature');
    expect(results(verdict)).toMatchObject({ dsc_chain: 'ok', dg_hashes: 'ok' });
  });

  it('refuses a rogue CSCA of the same name', () => {
    const minted = mint({}, createDevCsca(at));
    const verdict = verifyEmrtd({ csca: [csca.certificate] }, minted.input, at);
    expect(outcome(verdict)).toBe('csca_not_trusted at dsc_chain');
    expect(results(verdict)).toMatchObject({ sod_signature: 'ok', csca_trusted: 'failed' });
    expect(judged({ ...minted, policy: {} })).toBe('csca_not_trusted at csca_trusted');
  });

  it('refuses a CSCA as the signer of a document', () => {
    const signer = { ...csca, serial: Buffer.alloc(0) };
    const self = mint({ signer: { ...signer, serial: serialOf(csca.certificate) } });
    expect(judged(self)).toBe('csca_not_trusted at dsc_chain');
  });

  it('refuses a State’s document in the name of another State', () => {
    expect(judged(mint({ issuingState: 'D' }))).toBe('country_mismatch at csca_trusted');
    expect(judged(mint({ issuingState: 'XYZ' }))).toBe('country_mismatch at csca_trusted');
  });
});

describe('the document signer’s certificate', () => {
  const from = later(-30 * day);
  const to = later(30 * day);
  const minted = mint({ signerValidity: { from, to } });

  it.each([
    ['in the first second', from, 'passed'],
    ['in the last second', to, 'passed'],
    ['before the begin', new Date(from.getTime() - second), 'dsc_expired at dsc_dates'],
    ['after the end', new Date(to.getTime() + second), 'dsc_expired at dsc_dates'],
  ])('is accepted or refused %s of its validity', (_, when, expected) => {
    expect(judged(minted, when)).toBe(expected);
  });

  it('may outlive its CSCA', () => {
    const old = createDevCsca(later(-20 * 365 * day));
    expect(judged(mint({}, old))).toBe('passed');
  });

  it('must be valid at the signing time of the SOD', () => {
    const signer = issueSigner(csca, at, { from, to });
    expect(judged(mint({ signer, now: later(-60 * day) }))).toBe('dsc_expired at dsc_dates');
  });
});

describe('revocation', () => {
  const { passport, policy, input } = mint();
  const judge = (crl: Uint8Array[], when = at) => verifyEmrtd({ ...policy, crl }, input, when);
  const revocation = (crl: Uint8Array[], when = at) =>
    judge(crl, when).checks.find(({ name }) => name === 'revocation');

  it('fails a revoked signer, whatever the age of the list and other lists', () => {
    const revoked = issueCrl(csca, [passport.signer.serial], at);
    expect(outcome(judge([revoked]))).toBe('dsc_revoked at revocation');
    expect(outcome(judge([issueCrl(csca, [], at), revoked]))).toBe('dsc_revoked at revocation');
    expect(outcome(judge([revoked], later(365 * day)))).toBe('dsc_revoked at revocation');
    expect(judge([revoked]).facts['levels']).toMatchObject({ passive: 'failed' });
  });

  it('clears a signer that is not in the list', () => {
    const others = [issueSigner(csca, at).serial, issueSigner(csca, at).serial];
    expect(revocation([issueCrl(csca, others, at)])).toEqual({ name: 'revocation', result: 'ok' });
  });

  it('is unknown without a list or with an outdated one, and the passport still passes', () => {
    const unknown = { name: 'revocation', result: 'skipped', detail: 'revocation_unknown' };
    const elsewhere = createDevCsca(at, { commonName: 'CSCA Elsewhere' });
    expect(revocation([])).toEqual(unknown);
    expect(revocation([issueCrl(elsewhere, [], at)])).toEqual(unknown);
    expect(revocation([issueCrl(csca, [], at)], later(90 * day))?.result).toBe('ok');
    expect(revocation([issueCrl(csca, [], at)], later(90 * day + second))).toEqual(unknown);
    expect(judge([]).verdict).toBe('passed');
    expect(judge([]).facts['levels']).toMatchObject({ passive: 'ok' });
  });

  it('makes the verdict inconclusive when a current list is required but missing', () => {
    const required = { ...policy, require: ['crl' as const] };
    const strict = (crl: Uint8Array[], when = at) => verifyEmrtd({ ...required, crl }, input, when);
    const current = [issueCrl(csca, [], at)];
    const open = { verdict: 'inconclusive', reason_code: 'revocation_unknown' };
    expect(strict([])).toMatchObject(open);
    expect(strict(current, later(90 * day + second))).toMatchObject(open);
    expect(strict(current).verdict).toBe('passed');
    const revoked = [issueCrl(csca, [passport.signer.serial], at)];
    expect(outcome(strict(revoked))).toBe('dsc_revoked at revocation');
  });

  it('makes the verdict inconclusive when the list is forged or unreadable', () => {
    const forged = issueCrl(createDevCsca(at), [], at);
    for (const crl of [forged, forged.subarray(0, 100), Buffer.alloc(0)]) {
      expect(judge([crl])).toMatchObject({
        verdict: 'inconclusive',
        reason_code: 'revocation_unknown',
      });
    }
  });
});

describe('the document data', () => {
  it('is valid through the day of expiry', () => {
    const minted = mint({ expiresOn: '2026-12-01' });
    expect(judged(minted, new Date('2026-12-01T23:59:59.999Z'))).toBe('passed');
    expect(judged(minted, new Date('2026-12-02T00:00:00Z'))).toBe('document_expired at expiry');
  });

  it('proves the holder’s age to the day', () => {
    const adult = { ageOver: 18 };
    const born = (dateOfBirth: string) => mint({ holder: { ...holder, dateOfBirth } });
    const judgeAge = (dateOfBirth: string, when: string) => {
      const { policy, input } = born(dateOfBirth);
      return outcome(verifyEmrtd({ ...policy, ...adult }, input, new Date(when)));
    };
    expect(judgeAge('2008-11-22', '2026-11-22T00:00:00Z')).toBe('passed');
    expect(judgeAge('2008-11-22', '2026-11-21T23:59:59Z')).toBe('underage at mrz');
    expect(judgeAge('2008-02-29', '2028-02-29T12:00:00Z')).toBe('passed');
    expect(judged(born('2010-02-28'))).toBe('passed');
  });

  it('must have a correct check digit, even when the State signed it', () => {
    const good = mint().input.dataGroups['DG1'] ?? Buffer.alloc(0);
    const bad = Buffer.from(good);
    bad.write('7', bad.length - 1);
    const { policy, input } = mint({ files: { DG1: bad } });
    const verdict = verifyEmrtd(policy, input, at);
    expect(outcome(verdict)).toBe('mrz_checkdigit at mrz');
    expect(verdict.checks.find(({ name }) => name === 'mrz')?.detail).toBe('composite');
  });
});

function serialOf(certificate: Uint8Array): Uint8Array {
  // The minted CSCA: SEQUENCE, SEQUENCE, [0] version, then INTEGER of sixteen bytes.
  const start = Buffer.from(certificate).indexOf(Buffer.from([0x02, 0x10]));
  return certificate.subarray(start + 2, start + 18);
}
