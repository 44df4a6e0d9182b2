import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { childrenOf, readElement, tags } from '../../../../../domain/pki/read-der.ts';
import { refusalOf } from '../../../../../domain/pki/x509/algorithms.ts';
import { readSod } from '../../../../../domain/proofs/passport/data/sod.ts';
import { signerCertificate } from '../../../../../domain/proofs/passport/signer/country-signed.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import {
  element,
  integer,
  octetString,
  oid,
  printable,
  sequence,
  setOf,
} from '../../../../../simulator/der.ts';
import {
  issueSigner,
  signed,
  subjectOf,
  type DevSigner,
} from '../../../../../simulator/roots/passport.ts';
import { at, csca, judged, mint } from '../../../../support/fixtures/passports/fixtures.ts';

const none = new Uint8Array();

/** The fields of a certificate's TBSCertificate. */
function fieldsOf(certificate: Uint8Array): Uint8Array[] {
  const [tbs] = childrenOf(readElement(certificate, tags.sequence).contents);
  return childrenOf(tbs?.contents ?? none).map(({ whole }) => whole);
}

/** A document signer with one more extension, signed by its CSCA. */
function signerWith(added: Uint8Array): DevSigner {
  const signer = issueSigner(csca, at);
  const fields = fieldsOf(signer.certificate);
  const extensions = readElement(readElement(fields.at(-1) ?? none).contents, tags.sequence);
  const tbs = sequence(
    ...fields.slice(0, -1),
    element(0xa3, sequence(...childrenOf(extensions.contents).map(({ whole }) => whole), added)),
  );
  return { ...signer, certificate: signed(csca.profile, csca.key, tbs) };
}

const documentTypes = (...types: string[]): Uint8Array => {
  const list = sequence(integer(0), setOf(...types.map(printable)));
  return sequence(oid('2.23.136.1.1.6.2'), octetString(list));
};

describe('the certificate of a document signer', () => {
  it('is found when the SOD names the RDNs of its issuer in another order', () => {
    const { policy, input } = mint();
    const name = subjectOf(csca);
    const reversed = sequence(
      ...childrenOf(readElement(name, tags.sequence).contents)
        .map(({ whole }) => whole)
        .toReversed(),
    );
    const sod = Buffer.from(input.sod);
    const place = sod.lastIndexOf(name);
    sod.set(reversed, place);
    expect(reversed).not.toEqual(name);
    expect(judged({ policy, input: { ...input, sod } })).toBe('passed');
    sod.set(name, place);
    const last = place + name.length + 2;
    sod[last] = (sod[last] ?? 0) ^ 1;
    expect(judged({ policy, input: { ...input, sod } })).toContain('sod_signature_invalid');
  });

  it('is the one with the right key, when two have the same issuer and serial', () => {
    const { passport } = mint();
    const { signed: content } = readSod(passport.sod);
    const [version, , ...rest] = fieldsOf(issueSigner(csca, at).certificate);
    const { serial, certificate } = passport.signer;
    const tbs = sequence(version ?? none, integer(serial), ...rest);
    const decoy = signed(csca.profile, csca.key, tbs);
    const found = signerCertificate({ ...content, certificates: [decoy, certificate] });
    expect(Buffer.from(found?.der ?? none)).toEqual(Buffer.from(certificate));
  });

  it.each(['1.3.6.1.5.5.7.3.2', '2.23.136.1.1.3', '2.23.136.1.1.14.2', '2.5.29.37.0'])(
    'is refused with the extended key usage %s',
    (use) => {
      const signer = issueSigner(csca, at, undefined, use);
      expect(judged(mint({ signer }))).toBe('csca_not_trusted at dsc_chain');
    },
  );

  it('may have only the extended key usage for LDS security objects', () => {
    const signer = issueSigner(csca, at, undefined, '2.23.136.1.1.1');
    expect(judged(mint({ signer }))).toBe('passed');
  });

  it('may sign only the document types that it lists', () => {
    const withTypes = (...types: string[]): string =>
      judged(mint({ signer: signerWith(documentTypes(...types)) }));
    for (const types of [['P'], ['ID', 'P'], ['P<']]) expect(withTypes(...types)).toBe('passed');
    for (const types of [['ID'], ['PD'], ['I', 'A', 'V'], []]) {
      expect(withTypes(...types)).toBe('csca_not_trusted at csca_trusted');
    }
  });
});

it('is refused under a trust anchor that is not a CA', () => {
  const { profile, certificate, key } = issueSigner(csca, at);
  const { policy, input } = mint({}, { profile, certificate, key });
  const { checks } = verifyEmrtd(policy, input, at);
  expect(checks.find(({ name }) => name === 'dsc_chain')).toEqual({
    name: 'dsc_chain',
    result: 'failed',
    detail: 'the trust anchor is no CA',
  });
});

it('is refused with an RSA exponent below 3', () => {
  const scheme = { family: 'rsa', hash: 'sha256' } as const;
  const { n = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
    format: 'jwk',
  });
  const withExponent = (e: string) =>
    refusalOf(scheme, createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' }));
  expect(withExponent('Aw')).toBeNull();
  for (const e of ['AQ', 'Ag']) {
    expect(withExponent(e)).toBe('the exponent of the key is below 3');
  }
});
