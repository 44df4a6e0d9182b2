import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../../domain/pki/x509/algorithms.ts';
import type { CountryCertificate } from '../../../../../domain/proofs/passport/signer/certificate.ts';
import {
  createCscaStore,
  type CscaStore,
} from '../../../../../domain/proofs/passport/signer/master-list.ts';
import { signatureTriesMax } from '../../../../../domain/proofs/passport/signer/signature-tries.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { issueCrl } from '../../../../../simulator/roots/crl.ts';
import { createDevCsca } from '../../../../../simulator/roots/passport.ts';
import { at, csca, mint, results } from '../../../../support/fixtures/passports/fixtures.ts';

const { input, passport } = mint();
/** A CSCA with the name of the passport's own, and another key. */
const foreign = createDevCsca(at).certificate;

/** Copies of it that differ only in bytes that are not read before a signature is verified. */
function copiesOf(der: Uint8Array, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => {
    const copy = Buffer.from(der);
    copy.writeUInt32BE(index, copy.length - 8);
    return copy;
  });
}

/** A store that records each use of the key of one of its certificates. */
function counted(certificates: readonly Uint8Array[]): { store: CscaStore; asked: string[] } {
  const asked: string[] = [];
  const held = createCscaStore(certificates);
  const wrapped = new Map<CountryCertificate, CountryCertificate>();
  const noting = (one: CountryCertificate): CountryCertificate => {
    const publicKey = () => {
      asked.push(one.serial);
      return one.publicKey();
    };
    const made = wrapped.get(one) ?? { ...one, publicKey };
    wrapped.set(one, made);
    return made;
  };
  return { asked, store: { ...held, issuersOf: (child) => held.issuersOf(child).map(noting) } };
}

function judge(certificates: readonly Uint8Array[], crl: readonly Uint8Array[] = []) {
  const { store, asked } = counted(certificates);
  const verdict = verifyEmrtd({ cscaStore: store, crl }, input, at);
  return { verdict, asked };
}

const manyForeign = copiesOf(foreign, 2_000);
const manyLists = copiesOf(issueCrl(csca, [], at), 200);
const noted = 'revocation_unknown: too many CRLs to try';

describe('the number of signature verifications', () => {
  it('is one per CSCA, even when it is given many times', () => {
    expect(createCscaStore(Array.from({ length: 5_000 }, () => foreign)).size).toBe(1);
    const { verdict, asked } = judge(Array.from({ length: 5_000 }, () => foreign));
    expect(verdict.reason_code).toBe('csca_not_trusted');
    expect(asked).toHaveLength(1);
  });

  it('is limited when thousands have the same name, and the verdict is then inconclusive', () => {
    const { verdict, asked } = judge(manyForeign);
    expect(verdict).toMatchObject({ verdict: 'inconclusive', reason_code: 'csca_ambiguous' });
    const skipped = { dsc_chain: 'skipped', csca_trusted: 'skipped' };
    expect(results(verdict)).toMatchObject(skipped);
    expect(verdict.facts['levels']).toMatchObject({ passive: 'failed' });
    expect(asked).toHaveLength(signatureTriesMax);
    const spent = judge(manyForeign, manyLists);
    expect(spent.asked).toHaveLength(signatureTriesMax);
    expect(spent.verdict.checks).toContainEqual({
      name: 'revocation',
      result: 'skipped',
      detail: noted,
    });
  });

  it('is small when the signer names the key of its CSCA', () => {
    const { verdict, asked } = judge([...manyForeign, csca.certificate], [issueCrl(csca, [], at)]);
    expect(verdict).toMatchObject({ verdict: 'passed', reason_code: null });
    expect(results(verdict)['revocation']).toBe('ok');
    // One for the signer. Two for the list: the kind of its key, and the verification.
    expect(asked).toHaveLength(3);
  });

  it('is one per list, even when given many times, and starts with the CSCA of the signer', () => {
    const lists = Array.from({ length: 500 }, () => manyLists[0] ?? new Uint8Array());
    const { verdict, asked } = judge([...manyForeign, csca.certificate], lists);
    expect(verdict.reason_code).toBe('revocation_unknown');
    // Each possible signer tries the list once, until the limit is reached.
    expect(asked.filter((serial) => serial === asked[0])).toHaveLength(3);
    expect(asked).toHaveLength(1 + 2 * (signatureTriesMax - 1));
  });

  it('leaves revocation unknown when there are more lists than tries', () => {
    const { verdict, asked } = judge([csca.certificate], manyLists);
    expect(verdict).toMatchObject({ verdict: 'inconclusive', reason_code: 'revocation_unknown' });
    expect(verdict.checks).toContainEqual({ name: 'revocation', result: 'skipped', detail: noted });
    expect(asked.length).toBeLessThanOrEqual(2 * signatureTriesMax);
    const revoked = issueCrl(csca, [passport.signer.serial], at);
    expect(judge([csca.certificate], [revoked, ...manyLists]).verdict.reason_code).toBe(
      'dsc_revoked',
    );
  });

  it('excludes RSA keys with an exponent that no State uses', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' });
    const keyOf = (e: Buffer) =>
      createPublicKey({ key: { ...jwk, e: e.toString('base64url') }, format: 'jwk' });
    const scheme = { family: 'rsa', hash: 'sha256' } as const;
    expect(refusalOf(scheme, keyOf(Buffer.alloc(8, 0xff)))).toBeNull();
    expect(refusalOf(scheme, keyOf(Buffer.alloc(9, 0xff)))).toMatch(/exponent/);
  });
});
