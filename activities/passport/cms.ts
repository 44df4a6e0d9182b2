import { Constructed, fromBER, Integer, OctetString, type AsnType } from 'asn1js';
import { createHash } from 'node:crypto';
import {
  hashOf,
  readAlgorithm,
  refusalOf,
  schemeOf,
  verifyBytes,
  type AlgorithmIdentifier,
  type Scheme,
} from './algorithms.ts';
import { readCertificate, readName, type Certificate, type Name } from './certificate.ts';
import {
  childrenOf,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  timeOf,
  type Element,
} from './der.ts';

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
  | { readonly ok: true; readonly scheme: Scheme; readonly signingTime: Date | null }
  | { readonly ok: false; readonly fault: 'invalid' | 'refused'; readonly detail: string };

const signedData = '1.2.840.113549.1.7.2';
const attributeTypes = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
} as const;

const limits = {
  maxDepth: 32,
  maxNodes: 20_000,
  parseEmbedded: false,
  copyInput: false,
} as const;
const certificatesMax = 16;

/**
 * Reads a ContentInfo holding SignedData. BER is accepted (indefinite lengths, strings in pieces)
 * since issuers send it; nested deeper than 32 or beyond 20,000 nodes it is `MalformedDer`. What
 * no signature covers is held to the letter, so that a changed bit shows there too.
 */
export function readSignedData(bytes: Uint8Array): SignedData {
  const { offset, result } = fromBER(bytes, limits);
  if (offset !== bytes.length) throw new MalformedDer('not one BER value');
  const [type, wrapped, surplus] = inside(result, tags.sequence);
  if (oid(type) !== signedData || surplus) throw new MalformedDer('not SignedData');
  const fields = inside(inside(wrapped, 0xa0)[0], tags.sequence);
  const version = small(fields.shift());
  const digests = inside(fields.shift(), tags.set).map((node) => readAlgorithm(raw(node)));
  const [contentType, content] = inside(fields.shift(), tags.sequence);
  const certificates = has(fields[0], 0xa0) ? inside(fields.shift(), 0xa0) : [];
  if (has(fields[0], 0xa1)) fields.shift();
  const signers = inside(fields.shift(), tags.set);
  if (signers.length !== 1 || fields.length > 0) throw new MalformedDer('one signer is expected');
  if (certificates.length > certificatesMax) throw new MalformedDer('too many certificates');
  const signer = readSigner(signers[0]);
  // RFC 5652 §5.1: version 3 for content that is not plain data, as ICAO 9303-10 asks for anyway.
  if (version !== 3) throw new MalformedDer('another CMS version');
  const digest = hashOf(signer.digestAlgorithm);
  if (!digests.some((algorithm) => hashOf(algorithm) === digest)) {
    throw new MalformedDer('the digest algorithm is not announced');
  }
  return {
    contentType: oid(contentType),
    content: octets(inside(content, 0xa0)[0]),
    certificates: certificates.map(raw),
    signer,
  };
}

/** The certificate the signer names (RFC 5652 §5.3), among those sent along; null without one. */
export function signerCertificate({ certificates, signer }: SignedData): Certificate | null {
  for (const der of certificates) {
    const certificate = readable(der);
    if (!certificate) continue;
    const { identifier } = signer;
    if ('subjectKeyId' in identifier) {
      if (certificate.subjectKeyId === identifier.subjectKeyId) return certificate;
    } else if (
      certificate.serial === identifier.serial &&
      certificate.issuer.exact === identifier.issuer.exact
    ) {
      return certificate;
    }
  }
  return null;
}

/**
 * Verifies the signature by a certificate's key (RFC 5652 §5.4, §5.6): the attributes must name
 * the content's type and hash once each, and the signature covers the attributes as sent, tagged
 * as a SET. A signature without attributes is refused, as ICAO 9303-10 (EF.SOD) asks for them.
 */
export function verifySigner(signed: SignedData, certificate: Certificate): SignerAnswer {
  const { signer } = signed;
  const digest = hashOf(signer.digestAlgorithm);
  const scheme = schemeOf(signer.signatureAlgorithm, digest);
  if (!digest || !scheme) return refused('unknown algorithm');
  if (digest === 'sha1') return refused('SHA-1');
  const refusal = refusalOf(scheme, certificate.publicKey());
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
  return { ok: true, scheme, signingTime: time ? timeOf(time) : null };
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
function readSigner(node: AsnType | undefined): Signer {
  const fields = inside(node, tags.sequence);
  const version = small(fields.shift());
  const identifier = readIdentifier(raw(fields.shift()));
  const digestAlgorithm = readAlgorithm(raw(fields.shift()));
  const attributes = has(fields[0], 0xa0) ? raw(fields.shift()) : null;
  const signatureAlgorithm = readAlgorithm(raw(fields.shift()));
  const signature = octets(fields.shift());
  if (version !== ('subjectKeyId' in identifier ? 3 : 1)) {
    throw new MalformedDer('another version of signer');
  }
  if (has(fields[0], 0xa1)) fields.shift();
  if (fields.length > 0) throw new MalformedDer('a signer has too many fields');
  return { identifier, digestAlgorithm, signatureAlgorithm, attributes, signature };
}

function readIdentifier(der: Uint8Array): Signer['identifier'] {
  const rest = [readElement(der)];
  const keyId = takeIf(rest, 0x80);
  if (keyId) return { subjectKeyId: Buffer.from(keyId.contents).toString('hex') };
  const [issuer, serial, surplus] = childrenOf(take(rest, tags.sequence).contents);
  if (issuer?.tag !== tags.sequence || serial?.tag !== tags.integer || surplus) {
    throw new MalformedDer('no signer identifier');
  }
  return { issuer: readName(issuer), serial: Buffer.from(serial.contents).toString('hex') };
}

function readable(der: Uint8Array): Certificate | null {
  try {
    return readCertificate(der);
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}

/** What a structure holds. asn1js lets parts reach beyond the whole, so their lengths are added. */
function inside(node: AsnType | undefined, tag: number): AsnType[] {
  if (!(node instanceof Constructed) || !has(node, tag)) {
    throw new MalformedDer('a structure is missing');
  }
  const parts = [...node.valueBlock.value];
  const length = parts.reduce((sum, part) => sum + raw(part).length, 0);
  const { isIndefiniteForm, length: stated } = node.lenBlock;
  if (!isIndefiniteForm && length !== stated) throw new MalformedDer('a length is wrong');
  return parts;
}

const has = (node: AsnType | undefined, tag: number): boolean =>
  node !== undefined && raw(node)[0] === tag;

function raw(node: AsnType | undefined): Uint8Array {
  if (!node) throw new MalformedDer('a field is missing');
  return node.valueBeforeDecodeView;
}

function oid(node: AsnType | undefined): string {
  return oidOf(readElement(raw(node), tags.oid).contents);
}

function small(node: AsnType | undefined): number {
  if (!(node instanceof Integer) || !has(node, tags.integer)) {
    throw new MalformedDer('a version is missing');
  }
  return node.valueBlock.valueDec;
}

/** OCTET STRING, in one piece or in several (X.690 §8.7). */
function octets(node: AsnType | undefined): Uint8Array {
  if (!(node instanceof OctetString)) throw new MalformedDer('octets are missing');
  return new Uint8Array(node.getValue());
}
