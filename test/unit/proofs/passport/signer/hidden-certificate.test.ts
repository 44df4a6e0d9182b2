import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { childrenOf, readElement, tags } from '../../../../../domain/pki/read-der.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { element, integer, octetString, oid, sequence } from '../../../../../simulator/der.ts';
import { issueCrl } from '../../../../../simulator/roots/crl.ts';
import { issueSigner, type DevSigner } from '../../../../../simulator/roots/passport.ts';
import { at, csca, mint, outcome } from '../../../../support/fixtures/passports/fixtures.ts';

/** The signer with another serial number, and its genuine certificate as PEM in an extension. */
function disguised(signer: DevSigner): DevSigner {
  const [tbs, ...signature] = childrenOf(readElement(signer.certificate, tags.sequence).contents);
  const fields = childrenOf(tbs?.contents ?? new Uint8Array());
  const extensions = childrenOf(readElement(fields.at(-1)?.contents ?? new Uint8Array()).contents);
  const pem = Buffer.from(`\n${new X509Certificate(signer.certificate).toString()}`);
  const serial = Uint8Array.of(1, 2, 3);
  const certificate = sequence(
    sequence(
      fields[0]?.whole ?? new Uint8Array(),
      integer(serial),
      ...fields.slice(2, -1).map(({ whole }) => whole),
      element(
        0xa3,
        sequence(
          ...extensions.map(({ whole }) => whole),
          sequence(oid('1.2.3.4'), octetString(pem)),
        ),
      ),
    ),
    ...signature.map(({ whole }) => whole),
  );
  return { ...signer, certificate, serial };
}

it('a revoked signer stays revoked when it hides in a certificate with another number', () => {
  const signer = issueSigner(csca, at);
  const crl = [issueCrl(csca, [signer.serial], at)];
  const honest = mint({ signer });
  expect(outcome(verifyEmrtd({ ...honest.policy, crl }, honest.input, at))).toMatch(
    /at revocation/,
  );
  const { policy, input } = mint({ signer: disguised(signer) });
  const verdict = verifyEmrtd({ ...policy, crl }, input, at);
  expect(verdict.verdict).toBe('failed');
});
