import { createHash, verify as verifySignature, X509Certificate } from 'node:crypto';
import { lowS } from '../low-s.ts';
import {
  childrenOf,
  encoded,
  MalformedDer,
  oidOf,
  readElement,
  take,
  tags,
  timeOf,
  type Element,
} from '../read-der.ts';
import * as der from '../write-der.ts';
import { isCertifiedBy } from '../x509/is-certified-by.ts';
import { readAttributes, readSignedData } from './signed-data.ts';
import { attribute, encodeSignedData, oids } from './write-cms.ts';

/**
 * A parsed SignedData. The reader shares no code with the encoder. Only the form is compared with
 * our encoder's output, which is the one encoding of these parts.
 */
export interface ReadCms {
  readonly contentType: string;
  /** The embedded content of a time stamp. */
  readonly content: Buffer | null;
  readonly signer: X509Certificate;
  /** Without the root that a seal includes. */
  readonly certificates: readonly X509Certificate[];
  readonly signature: Buffer;
  /** The signed attributes as they are signed: a SET. */
  readonly signed: Buffer;
  /** Whether digest and signature use the algorithms of our own keys. */
  readonly isByOurs: boolean;
  /** The hash of the content. */
  readonly hash: Hash;
  /** AlgorithmIdentifiers, DER. */
  readonly algorithms: { readonly digest: Buffer; readonly signature: Buffer };
  readonly attributes: ReadonlyMap<string, Buffer>;
  readonly unsigned: ReadonlyMap<string, Buffer>;
  /** Whether the signature over the signed attributes is the signer's. */
  readonly isSigned: boolean;
  /** Whether the bytes are the one encoding of these parts, with the signature in low-S form. */
  readonly isInForm: boolean;
}

/**
 * The unsigned attributes that each may have. No signature covers their content, so each type needs
 * a rule of its own. Archive time stamps and validation data will be added here.
 */
export const unsignedTypes = { seal: [oids.timeStampToken], timestamp: [] } as const;

/**
 * Reads a CMS SignedData with one signer (RFC 5652 §5) and puts its certificate first. Throws for
 * bytes that are no SignedData; a readable one in another encoding is not `isInForm`.
 * @param bytes exactly one value, in DER or BER
 */
export function readCms(bytes: Buffer): ReadCms {
  const data = readSignedData(bytes);
  const { contentType, signer: signerInfo } = data;
  const { signedAttributes } = signerInfo;
  if (!signedAttributes || signerInfo.identifier.tag !== tags.sequence) {
    throw new MalformedDer('a signer without attributes, or without issuer and serial number');
  }
  const digestAlgorithm = readAlgorithm(signerInfo.digestAlgorithm);
  const signatureAlgorithm = readAlgorithm(signerInfo.signatureAlgorithm);
  const signature = readOctets(signerInfo.signature.whole);
  const content = data.content && Buffer.from(data.content);
  const certificates = (data.certificates ?? []).map((one) => new X509Certificate(one));
  const signed = Buffer.from(signedAttributes.whole);
  signed[0] = tags.set;
  const hash = hashes.get(digestAlgorithm.id);
  const signedWith = signatureAlgorithm.id;
  const signatureHash = signatures.get(signedWith);
  if (!hash || signatureHash === undefined) throw new MalformedDer('another signature algorithm');
  const attributes = attributesOf(signedAttributes);
  const [first] = certificates;
  const signer = certificates.find((certificate) => isNamedBy(certificate, attributes));
  if (!signer) throw new Error('the signing certificate is not named, or not there');
  const unsigned = attributesOf(signerInfo.unsignedAttributes);
  const algorithms = { digest: digestAlgorithm.der, signature: signatureAlgorithm.der };
  const encoded = encodeSignedData({
    contentType,
    content,
    certificates: certificates.map(({ raw }) => raw),
    signed,
    signature,
    algorithms,
    unsigned: Array.from(unsigned, ([type, value]) => attribute(type, value)),
  });
  return {
    contentType,
    content,
    signer,
    certificates: contentType === oids.data ? withoutRoot(certificates) : certificates,
    signature,
    signed,
    algorithms,
    hash,
    isByOurs: hash === 'sha256' && signedWith === oids.ecdsaWithSha256,
    attributes,
    unsigned,
    isInForm:
      encoded.equals(bytes) &&
      isOfType(contentType, attributes) &&
      signer === first &&
      lowS(signature, signer.publicKey).equals(signature),
    isSigned: verifySignature(signatureHash ?? hash, signed, signer.publicKey, signature),
  };
}

/** The root of a seal is included only for comparison with a hash; it is not trusted here. */
function withoutRoot(certificates: readonly X509Certificate[]): readonly X509Certificate[] {
  const [above, root] = certificates.slice(-2);
  const isBrought = above && root && isCertifiedBy(above, root) && isCertifiedBy(root, root);
  return isBrought ? certificates.slice(0, -1) : certificates;
}

const membersOf = ({ contents }: Element): Element[] => childrenOf(contents, 'ber');

/**
 * Whether signing-certificate-v2 (RFC 5035 §3) names the certificate's hash; without that
 * attribute, signing-certificate (RFC 2634 §5.4). The named one is the signer's.
 */
function isNamedBy(certificate: X509Certificate, attributes: ReadonlyMap<string, Buffer>): boolean {
  const second = attributes.get(oids.signingCertificateV2);
  const named = second ?? attributes.get(oids.signingCertificate);
  const isHashedBy = (hash: string, endsAt: number): boolean =>
    named?.subarray(0, endsAt).includes(createHash(hash).update(certificate.raw).digest()) === true;
  if (!second) return isHashedBy('sha1', 36);
  return isHashedBy('sha256', 64) || isHashedBy('sha384', 80) || isHashedBy('sha512', 96);
}

type Hash = 'sha256' | 'sha384' | 'sha512';

const hashes: ReadonlyMap<string, Hash> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** Hash of each signature algorithm; null if the digest algorithm decides it (RFC 3370 §3.2). */
const signatures: ReadonlyMap<string, Hash | null> = new Map([
  ['1.2.840.113549.1.1.1', null],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  [oids.ecdsaWithSha256, 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
]);

interface Algorithm {
  readonly id: string;
  /** In DER, however it was written: values to compare need one form. */
  readonly der: Buffer;
}

/** Reads an algorithm. Throws if it has parameters other than NULL: none of these has any. */
function readAlgorithm(element: Element): Algorithm {
  const rest = membersOf(element);
  const id = oidOf(take(rest, tags.oid).contents);
  const [parameters, ...more] = rest;
  if (!parameters) return { id, der: der.sequence(der.oid(id)) };
  if (!derNull.equals(parameters.whole) || more.length > 0) {
    throw new MalformedDer('parameters of an algorithm');
  }
  return { id, der: der.sequence(der.oid(id), derNull) };
}

const derNull = Buffer.of(5, 0);

/** Whether the signed content type is that of the content (RFC 5652 §5.6, §11.1). */
function isOfType(contentType: string, attributes: ReadonlyMap<string, Buffer>): boolean {
  return attributes.get(oids.contentType)?.equals(der.oid(contentType)) ?? false;
}

function attributesOf(field: Element | null): Map<string, Buffer> {
  const found = readAttributes(field?.contents ?? Buffer.of(), 'ber');
  return new Map(Array.from(found, ([type, { whole }]) => [type, Buffer.from(whole)]));
}

export interface ReadTimestamp {
  readonly imprint: Buffer;
  readonly at: Date;
}

/**
 * Reads the imprint and time of a TSTInfo (RFC 3161 §2.4.2).
 * @throws `MalformedDer`
 */
export function readTimestampInfo(bytes: Buffer): ReadTimestamp {
  const [, , messageImprint, , genTime] = membersOf(readElement(bytes, tags.sequence, 'ber'));
  if (messageImprint?.tag !== tags.sequence) throw new MalformedDer('no imprint');
  const [, hashed] = membersOf(messageImprint);
  if (hashed?.tag !== tags.octetString) throw new MalformedDer('no imprint');
  if (genTime?.tag !== tags.generalizedTime) throw new MalformedDer('no time');
  return { imprint: Buffer.from(hashed.contents), at: instantOf(genTime) };
}

/** Unlike a certificate's time, it may have fractions of a second (RFC 3161 §2.4.2). */
function instantOf({ contents }: Element): Date {
  const text = Buffer.from(contents).toString('latin1');
  const [, seconds, fraction = ''] = /^(\d{14})(?:\.(\d{1,9}))?Z$/.exec(text) ?? [];
  if (!seconds) throw new MalformedDer('not a time');
  const whole = timeOf(readElement(encoded(tags.generalizedTime, Buffer.from(`${seconds}Z`))));
  return new Date(whole.getTime() + Number(fraction.padEnd(3, '0').slice(0, 3)));
}

/**
 * Returns the content of an OCTET STRING attribute.
 * @throws `MalformedDer`
 */
export const readOctets = (bytes: Uint8Array | undefined): Buffer =>
  Buffer.from(readElement(bytes ?? Buffer.of(), tags.octetString).contents);
