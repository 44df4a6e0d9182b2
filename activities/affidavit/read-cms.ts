import { createHash, verify as verifySignature, X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import { ContentInfo, SignedData, type AlgorithmIdentifier, type Attribute } from 'pkijs';
import * as der from '../certificates/der.ts';
import { attribute, encodeSignedData, oids } from './cms.ts';

/**
 * A SignedData taken apart by a parser that shares nothing with what wrote it. Its form alone is
 * held against our encoder, which makes the same bytes of these parts or others.
 */
export interface ReadCms {
  readonly contentType: string;
  /** The content inside, for a time stamp. */
  readonly content: Buffer | null;
  readonly signer: X509Certificate;
  readonly certificates: readonly X509Certificate[];
  readonly signature: Buffer;
  /** The signed attributes as they are signed: a SET. */
  readonly signed: Buffer;
  /** Whether digest and signature are by the algorithms of our own keys. */
  readonly isByOurs: boolean;
  /** What the content is hashed with. */
  readonly hash: Hash;
  /** AlgorithmIdentifiers, DER. */
  readonly algorithms: { readonly digest: Buffer; readonly signature: Buffer };
  readonly attributes: ReadonlyMap<string, Buffer>;
  readonly unsigned: ReadonlyMap<string, Buffer>;
  /** Whether the signature over the signed attributes is the signer's. */
  readonly isSigned: boolean;
  /** Whether every byte is what the rest of this makes it: none hides anything. */
  readonly isInForm: boolean;
}

/**
 * The unsigned attributes that may stand in each: nothing vouches for what they hold but
 * a rule on that very type. Archive time stamps and validation data will be entered here.
 */
export const unsignedTypes = { seal: [oids.timeStampToken], timestamp: [] } as const;

/**
 * Parses a CMS SignedData with one signer (RFC 5652 §5), whose certificate comes first. Throws for
 * what cannot be read as one; what reads as one and is written otherwise is not `isInForm`.
 * @param bytes exactly one DER value
 */
export function readCms(bytes: Buffer): ReadCms {
  const parsed = asn1js.fromBER(toBuffer(bytes));
  if (parsed.offset !== bytes.length) throw new Error('bytes after the signature');
  const info = new ContentInfo({ schema: parsed.result });
  if (info.contentType !== oids.signedData) throw new Error('not a SignedData');
  const data = new SignedData({ schema: info.content });
  const [signerInfo, ...more] = data.signerInfos;
  if (!signerInfo || more.length > 0) throw new Error('not one signer');
  const { digestAlgorithm, signatureAlgorithm } = signerInfo;
  const hash = hashes.get(bare(digestAlgorithm));
  const signedWith = bare(signatureAlgorithm);
  const signatureHash = signatures.get(signedWith);
  if (!hash || signatureHash === undefined) throw new Error('another signature algorithm');
  const certificates = (data.certificates ?? []).map(
    (item) => new X509Certificate(Buffer.from(item.toSchema().toBER())),
  );
  const attributes = mapOf(signerInfo.signedAttrs?.attributes ?? []);
  const [first] = certificates;
  const signer = certificates.find((certificate) => isNamedBy(certificate, attributes));
  if (!signer) throw new Error('the signing certificate is not named, or not there');
  const signed = Buffer.from(signerInfo.signedAttrs?.encodedValue ?? new ArrayBuffer(0));
  signed[0] = 0x31;
  const signature = Buffer.from(signerInfo.signature.valueBlock.valueHexView);
  const { eContent, eContentType: contentType } = data.encapContentInfo;
  const content = eContent ? Buffer.from(eContent.getValue()) : null;
  const unsigned = mapOf(signerInfo.unsignedAttrs?.attributes ?? []);
  const algorithms = { digest: derOf(digestAlgorithm), signature: derOf(signatureAlgorithm) };
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
    certificates,
    signature,
    signed,
    algorithms,
    hash,
    isByOurs: hash === 'sha256' && signedWith === oids.ecdsaWithSha256,
    attributes,
    unsigned,
    isInForm: encoded.equals(bytes) && isOfType(contentType, attributes) && signer === first,
    isSigned: verifySignature(signatureHash ?? hash, signed, signer.publicKey, signature),
  };
}

/**
 * The signer is the certificate whose hash signing-certificate-v2 names (RFC 5035 §3), or without
 * it signing-certificate (RFC 2634 §5.4).
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

/** By the hash of each; null for the one that leaves it to the digest (RFC 3370 §3.2). */
const signatures: ReadonlyMap<string, Hash | null> = new Map([
  ['1.2.840.113549.1.1.1', null],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  [oids.ecdsaWithSha256, 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
]);

/** Its identifier. Throws where it has parameters: of these none has any but NULL. */
function bare({ algorithmId, algorithmParams }: AlgorithmIdentifier): string {
  if (algorithmParams !== undefined && !derOfValue(algorithmParams).equals(derNull)) {
    throw new Error('parameters of an algorithm');
  }
  return algorithmId;
}

const derNull = Buffer.of(5, 0);
const derOf = (named: AlgorithmIdentifier): Buffer => Buffer.from(named.toSchema().toBER());
const derOfValue = (value: asn1js.BaseBlock): Buffer => Buffer.from(value.toBER());

/** The signed type is that of the content (RFC 5652 §5.6, §11.1). */
function isOfType(contentType: string, attributes: ReadonlyMap<string, Buffer>): boolean {
  return attributes.get(oids.contentType)?.equals(der.oid(contentType)) ?? false;
}

function mapOf(attributes: readonly Attribute[]): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const { type, values } of attributes) {
    const [value, ...more] = values;
    if (!value || more.length > 0 || found.has(type)) throw new Error('an attribute out of form');
    found.set(type, Buffer.from(value.toBER()));
  }
  return found;
}

export interface ReadTimestamp {
  readonly imprint: Buffer;
  readonly at: Date;
}

/** The imprint and time of a TSTInfo (RFC 3161 §2.4.2). */
export function readTimestampInfo(bytes: Buffer): ReadTimestamp {
  const parsed = asn1js.fromBER(toBuffer(bytes)).result;
  if (!(parsed instanceof asn1js.Sequence)) throw new Error('not a TSTInfo');
  const [, , messageImprint, , genTime] = parsed.valueBlock.value;
  if (!(messageImprint instanceof asn1js.Sequence)) throw new Error('no imprint');
  const [, hashed] = messageImprint.valueBlock.value;
  if (!(hashed instanceof asn1js.OctetString)) throw new Error('no imprint');
  if (!(genTime instanceof asn1js.GeneralizedTime)) throw new Error('no time');
  return { imprint: Buffer.from(hashed.valueBlock.valueHexView), at: genTime.toDate() };
}

/** The content of an OCTET STRING attribute. */
export function readOctets(bytes: Buffer | undefined): Buffer {
  const parsed = asn1js.fromBER(toBuffer(bytes ?? Buffer.alloc(0))).result;
  if (!(parsed instanceof asn1js.OctetString)) throw new Error('not an octet string');
  return Buffer.from(parsed.valueBlock.valueHexView);
}

function toBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
