import { createHash } from 'node:crypto';
import { readAttributes, readSignedData, type SignerInfo } from '../../../pki/cms/signed-data.ts';
import {
  childrenOf,
  MalformedDer,
  octetsOf,
  oidOf,
  take,
  tags,
  timeOf,
  type Element,
} from '../../../pki/read-der.ts';
import {
  hashOf,
  readAlgorithm,
  refusalOf,
  schemeOf,
  verifyBytes,
  type AlgorithmIdentifier,
  type Hash,
  type LegacyPolicy,
  type Scheme,
} from '../../../pki/x509/algorithms.ts';
import { readName, type Name } from '../../../pki/x509/name.ts';
import { readCountryCertificate, type CountryCertificate } from './certificate.ts';

/** CMS SignedData (RFC 5652 §5.1) of EF.SOD and master lists: exactly one signer. */
export interface CountrySigned {
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly certificates: readonly Uint8Array[];
  readonly signer: Signer;
}

export interface Signer {
  readonly identifier: { issuer: Name; serial: string } | { subjectKeyId: string };
  readonly digestAlgorithm: AlgorithmIdentifier;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  /** The signed attributes as sent, with the implicit tag [0]; null if absent. */
  readonly attributes: Element | null;
  readonly signature: Uint8Array;
}

export type SignerAnswer =
  | {
      readonly ok: true;
      readonly scheme: Scheme;
      readonly digest: Hash;
      readonly signingTime: Date | null;
    }
  | { readonly ok: false; readonly fault: 'invalid' | 'refused'; readonly detail: string };

const plainData = '1.2.840.113549.1.7.1';
const attributeTypes = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
} as const;

const certificatesMax = 16;

/**
 * Reads the SignedData of an EF.SOD or a master list, DER or BER. Unsigned parts must match
 * exactly, so that a changed bit is detected there too.
 * @throws `MalformedDer`
 */
export function readCountrySigned(bytes: Uint8Array): CountrySigned {
  const { version, digestAlgorithms, contentType, content, certificates, signer } =
    readSignedData(bytes);
  // RFC 5652 §5.1: version 3 for content that is not plain data; ICAO 9303-10 always requires it.
  if (!isNumber(version, 3) && !(contentType === plainData && isNumber(version, 1))) {
    throw new MalformedDer('another CMS version');
  }
  if (!content) throw new MalformedDer('no content');
  const sent = certificates ?? [];
  if (sent.length > certificatesMax) throw new MalformedDer('too many certificates');
  const algorithm = readAlgorithm(signer.digestAlgorithm.whole);
  const digest = hashOf(algorithm);
  const announced = digestAlgorithms.map(({ whole }) => hashOf(readAlgorithm(whole)));
  if (!announced.includes(digest)) throw new MalformedDer('the digest algorithm is not announced');
  return {
    contentType,
    content,
    certificates: sent,
    signer: {
      identifier: identifierOf(signer),
      digestAlgorithm: algorithm,
      signatureAlgorithm: readAlgorithm(signer.signatureAlgorithm.whole),
      attributes: signer.signedAttributes,
      signature: octetsOf(signer.signature),
    },
  };
}

/**
 * Returns the signer's certificate (RFC 5652 §5.3) among the included ones; null if absent. Some
 * issuers write the RDNs of a name in another order in the identifier than in the certificate, so
 * the comparison ignores the order. Among several certificates, the signature decides.
 */
export function signerCertificate(signed: CountrySigned): CountryCertificate | null {
  const named = signed.certificates
    .flatMap((der) => readable(der) ?? [])
    .filter((certificate) => isNamedBy(signed.signer.identifier, certificate));
  const [first = null] = named;
  if (named.length < 2) return first;
  return named.find((each) => verifySigner(signed, each, 'flag').ok) ?? first;
}

function isNamedBy(identifier: Signer['identifier'], certificate: CountryCertificate): boolean {
  if ('subjectKeyId' in identifier) return certificate.subjectKeyId === identifier.subjectKeyId;
  return (
    certificate.serial === identifier.serial &&
    certificate.issuer.sorted === identifier.issuer.sorted
  );
}

/**
 * Verifies the signature by a certificate's key (RFC 5652 §5.4, §5.6). The attributes must contain
 * the content's type and hash once each. The signature covers the attributes as sent, tagged as a
 * SET. A signature without attributes is refused, since ICAO 9303-10 (EF.SOD) requires them.
 */
export function verifySigner(
  signed: CountrySigned,
  certificate: CountryCertificate,
  legacy: LegacyPolicy = 'refuse',
): SignerAnswer {
  const { signer } = signed;
  const digest = hashOf(signer.digestAlgorithm);
  const scheme = schemeOf(signer.signatureAlgorithm, digest);
  if (!digest || !scheme) return refused('unknown algorithm');
  if (digest === 'sha1' && legacy === 'refuse') return refused('SHA-1');
  const refusal = refusalOf(scheme, certificate.publicKey(), legacy);
  if (refusal) return refused(refusal);
  if (!signer.attributes) return invalid('no signed attributes');
  const attributes = readAttributes(signer.attributes.contents, 'der');
  const type = attributes.get(attributeTypes.contentType);
  if (type?.tag !== tags.oid || oidOf(type.contents) !== signed.contentType) {
    return invalid('content type');
  }
  const stated = attributes.get(attributeTypes.messageDigest);
  const actual = createHash(digest).update(signed.content).digest();
  if (stated?.tag !== tags.octetString || !actual.equals(stated.contents)) {
    return invalid('message digest');
  }
  const covered = Uint8Array.from(signer.attributes.whole);
  covered[0] = tags.set;
  if (!verifyBytes(scheme, certificate.publicKey(), covered, signer.signature)) {
    return invalid('signature');
  }
  const time = attributes.get(attributeTypes.signingTime);
  return { ok: true, scheme, digest, signingTime: time ? timeOf(time) : null };
}

const refused = (detail: string): SignerAnswer => ({ ok: false, fault: 'refused', detail });
const invalid = (detail: string): SignerAnswer => ({ ok: false, fault: 'invalid', detail });

/** The version depends on the kind of identifier (RFC 5652 §5.3). */
function identifierOf({ version, identifier }: SignerInfo): Signer['identifier'] {
  const isByKey = identifier.tag !== tags.sequence;
  if (!isNumber(version, isByKey ? 3 : 1)) throw new MalformedDer('another version of signer');
  if (isByKey) return { subjectKeyId: hexOf(identifier.contents) };
  const rest = childrenOf(identifier.contents);
  const issuer = readName(take(rest, tags.sequence));
  const serial = hexOf(take(rest, tags.integer).contents);
  if (rest.length > 0) throw new MalformedDer('more than issuer and serial number');
  return { issuer, serial };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function readable(der: Uint8Array): CountryCertificate | null {
  try {
    return readCountryCertificate(der);
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}

const isNumber = (contents: Uint8Array, value: number): boolean =>
  contents.length === 1 && contents[0] === value;
