import { createHash } from 'node:crypto';
import {
  childrenOf,
  MalformedDer,
  octetsOf,
  oidOf,
  readElement,
  take,
  takeIf,
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
import { readCountryCertificate, type CountryCertificate } from './country-certificate.ts';

/** CMS SignedData (RFC 5652 §5.1) as EF.SOD and master lists use it: exactly one signer. */
export interface SignedData {
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly certificates: readonly Uint8Array[];
  readonly signer: Signer;
}

export interface Signer {
  readonly identifier: { issuer: Name; serial: string } | { subjectKeyId: string };
  readonly digestAlgorithm: AlgorithmIdentifier;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  /** The signed attributes as they were sent, with the implicit tag [0]; null when absent. */
  readonly attributes: Uint8Array | null;
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

const signedData = '1.2.840.113549.1.7.2';
const plainData = '1.2.840.113549.1.7.1';
const attributeTypes = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
} as const;

const certificatesMax = 16;

/**
 * Reads a ContentInfo holding SignedData. BER is accepted (indefinite lengths, strings in pieces)
 * since issuers send it. What no signature covers is held to the letter, so that a changed bit
 * shows there too. Throws `MalformedDer`.
 */
export function readSignedData(bytes: Uint8Array): SignedData {
  const info = inside(readElement(bytes, tags.sequence, 'ber'));
  if (oidOf(take(info, tags.oid).contents) !== signedData) throw new MalformedDer('not SignedData');
  const fields = inside(only(inside(take(info, 0xa0)), tags.sequence));
  const version = take(fields, tags.integer).contents;
  const digests = inside(take(fields, tags.set)).map(({ whole }) => readAlgorithm(whole));
  const encapsulated = inside(take(fields, tags.sequence));
  const contentType = oidOf(take(encapsulated, tags.oid).contents);
  const content = only(inside(only(encapsulated, 0xa0)));
  const certificates = inside(takeIf(fields, 0xa0) ?? nothing);
  takeIf(fields, 0xa1);
  const signer = readSigner(only(inside(only(fields, tags.set)), tags.sequence));
  // RFC 5652 §5.1: version 3 for content that is not plain data; ICAO 9303-10 asks for it always.
  if (!isNumber(version, 3) && !(contentType === plainData && isNumber(version, 1))) {
    throw new MalformedDer('another CMS version');
  }
  if (info.length > 0) throw new MalformedDer('too many fields');
  if (certificates.length > certificatesMax) throw new MalformedDer('too many certificates');
  const digest = hashOf(signer.digestAlgorithm);
  if (!digests.some((algorithm) => hashOf(algorithm) === digest)) {
    throw new MalformedDer('the digest algorithm is not announced');
  }
  return {
    contentType,
    content: octetsOf(content),
    certificates: certificates.map(({ whole }) => whole),
    signer,
  };
}

/**
 * The certificate the signer names (RFC 5652 §5.3), among those sent along; null without one. Some
 * issuers write the RDNs of a name in another order in the identifier than in the certificate, so
 * that names are compared without it. Of several certificates the signature decides.
 */
export function signerCertificate(signed: SignedData): CountryCertificate | null {
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
 * Verifies the signature by a certificate's key (RFC 5652 §5.4, §5.6): the attributes must name
 * the content's type and hash once each, and the signature covers the attributes as sent, tagged
 * as a SET. A signature without attributes is refused, as ICAO 9303-10 (EF.SOD) asks for them.
 */
export function verifySigner(
  signed: SignedData,
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
  const attributes = readAttributes(signer.attributes);
  const type = attributes.get(attributeTypes.contentType);
  if (type?.tag !== tags.oid || oidOf(type.contents) !== signed.contentType) {
    return invalid('content type');
  }
  const stated = attributes.get(attributeTypes.messageDigest);
  const actual = createHash(digest).update(signed.content).digest();
  if (stated?.tag !== tags.octetString || !actual.equals(stated.contents)) {
    return invalid('message digest');
  }
  const covered = Uint8Array.from(signer.attributes);
  covered[0] = tags.set;
  if (!verifyBytes(scheme, certificate.publicKey(), covered, signer.signature)) {
    return invalid('signature');
  }
  const time = attributes.get(attributeTypes.signingTime);
  return { ok: true, scheme, digest, signingTime: time ? timeOf(time) : null };
}

const refused = (detail: string): SignerAnswer => ({ ok: false, fault: 'refused', detail });
const invalid = (detail: string): SignerAnswer => ({ ok: false, fault: 'invalid', detail });

/** Signed attributes by type; each type once and with one value. */
function readAttributes(attributes: Uint8Array): Map<string, Element> {
  const found = new Map<string, Element>();
  for (const attribute of childrenOf(readElement(attributes, 0xa0).contents)) {
    const rest = childrenOf(attribute.contents);
    const type = oidOf(take(rest, tags.oid).contents);
    const values = childrenOf(take(rest, tags.set).contents);
    const [value] = values;
    if (found.has(type) || !value || values.length > 1) throw new MalformedDer('attribute twice');
    found.set(type, value);
  }
  return found;
}

/** SignerInfo. Its version goes with the kind of identifier (RFC 5652 §5.3). */
function readSigner(node: Element): Signer {
  const fields = inside(node);
  const version = take(fields, tags.integer).contents;
  const keyId = takeIf(fields, 0x80);
  const identifier = keyId
    ? { subjectKeyId: Buffer.from(keyId.contents).toString('hex') }
    : readIdentifier(take(fields, tags.sequence));
  const digestAlgorithm = readAlgorithm(take(fields, tags.sequence).whole);
  const attributes = takeIf(fields, 0xa0)?.whole ?? null;
  const signatureAlgorithm = readAlgorithm(take(fields, tags.sequence).whole);
  const [signature, ...unsigned] = fields;
  if (!signature || unsigned.length > 1 || (unsigned[0] && unsigned[0].tag !== 0xa1)) {
    throw new MalformedDer('a signer has other fields');
  }
  if (!isNumber(version, keyId ? 3 : 1)) throw new MalformedDer('another version of signer');
  return {
    identifier,
    digestAlgorithm,
    signatureAlgorithm,
    attributes,
    signature: octetsOf(signature),
  };
}

function readIdentifier(node: Element): Signer['identifier'] {
  const rest = childrenOf(node.contents);
  const issuer = readName(take(rest, tags.sequence));
  return { issuer, serial: Buffer.from(only(rest, tags.integer).contents).toString('hex') };
}

function readable(der: Uint8Array): CountryCertificate | null {
  try {
    return readCountryCertificate(der);
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}

const nothing: Element = { tag: 0, whole: new Uint8Array(), contents: new Uint8Array() };

const inside = (node: Element): Element[] => childrenOf(node.contents, 'ber');

/** The one element left, of this tag. */
function only(elements: readonly Element[], tag?: number): Element {
  const [element, surplus] = elements;
  if (!element || surplus || (tag !== undefined && element.tag !== tag)) {
    throw new MalformedDer('another field is expected');
  }
  return element;
}

const isNumber = (contents: Uint8Array, value: number): boolean =>
  contents.length === 1 && contents[0] === value;
