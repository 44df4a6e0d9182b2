import { createHash } from 'node:crypto';
import { element, integer, octetString, oid, sequence, setOf, time } from '../der.ts';
import {
  algorithmOf,
  digestAlgorithmOf,
  hashOfProfile,
  signBytes,
  subjectOf,
  type DevCsca,
  type DevSigner,
} from '../roots/passport.ts';

export interface ContentToSign {
  readonly contentType: string;
  readonly content: Uint8Array;
  /** Issuer of the signer's certificate. */
  readonly issuer: DevCsca;
  readonly signer: DevSigner;
  readonly signedAt: Date;
}

/** Signs CMS SignedData (RFC 5652) with one signer, as in EF.SOD and master lists. */
export function signContent(request: ContentToSign): Buffer {
  const { contentType, content, issuer, signer, signedAt } = request;
  const digest = createHash(hashOfProfile(signer.profile)).update(content).digest();
  const digestAlgorithm = digestAlgorithmOf(signer.profile);
  const attributes = setOf(
    sequence(oid('1.2.840.113549.1.9.3'), setOf(oid(contentType))),
    sequence(oid('1.2.840.113549.1.9.4'), setOf(octetString(digest))),
    sequence(oid('1.2.840.113549.1.9.5'), setOf(time(signedAt))),
  );
  const sent = Buffer.from(attributes);
  sent[0] = 0xa0;
  const signerInfo = sequence(
    integer(1),
    sequence(subjectOf(issuer), integer(signer.serial)),
    digestAlgorithm,
    sent,
    algorithmOf(signer.profile),
    octetString(signBytes(signer.profile, signer.key, attributes)),
  );
  const signedData = sequence(
    integer(3),
    setOf(digestAlgorithm),
    sequence(oid(contentType), element(0xa0, octetString(content))),
    element(0xa0, signer.certificate),
    setOf(signerInfo),
  );
  return sequence(oid('1.2.840.113549.1.7.2'), element(0xa0, signedData));
}
