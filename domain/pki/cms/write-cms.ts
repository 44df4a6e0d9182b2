import { createHash, X509Certificate } from 'node:crypto';
import { lowS } from '../low-s.ts';
import { tags } from '../read-der.ts';
import type { Signer } from '../signer.ts';
import * as der from '../write-der.ts';
import { readFields } from '../x509/certificate.ts';

export const oids = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  /** Uses SHA-1, which RFC 5816 still allows. */
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  timeStampToken: '1.2.840.113549.1.9.16.2.14',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

export interface SignedDataRequest {
  readonly signer: Signer;
  /** The bytes to sign: detached bytes for a PDF, the TSTInfo itself for a time stamp. */
  readonly content: Uint8Array;
  readonly contentType: string;
  readonly isDetached: boolean;
  /** Whether to omit the certificates: a client of a time stamp may have them already. */
  readonly isBare?: boolean;
  /** Size limit in bytes, root included; the root is omitted if it would exceed the limit. */
  readonly withRootMax?: number;
  /** Creates the unsigned attributes over the signature value, for example a time stamp. */
  readonly unsigned?: (signature: Uint8Array) => Promise<Uint8Array[]>;
}

/**
 * Creates a CMS SignedData (RFC 5652 §5) by one ECDSA signer with the attributes that PAdES
 * requires: content type, message digest and signing-certificate-v2 (RFC 5035). It has no signing
 * time, which a baseline signature must not carry (EN 319 142-1 §6.3).
 */
export async function signCms(request: SignedDataRequest): Promise<Buffer> {
  const [leaf] = request.signer.certificateChain;
  if (!leaf) throw new Error('a signer has no certificate');
  const digest = createHash('sha256').update(request.content).digest();
  const attributes = [
    attribute(oids.contentType, der.oid(request.contentType)),
    attribute(oids.messageDigest, der.octets(digest)),
    attribute(oids.signingCertificateV2, signingCertificate(leaf)),
  ];
  const signed = der.setOf(...attributes);
  const { publicKey } = new X509Certificate(leaf);
  const signature = lowS(await request.signer.sign(signed), publicKey);
  const parts = {
    contentType: request.contentType,
    content: request.isDetached ? null : request.content,
    certificates: request.signer.certificateChain,
    isBare: request.isBare ?? false,
    signed,
    signature,
    unsigned: request.unsigned ? await request.unsigned(signature) : [],
  };
  return withRoot(parts, request) ?? encodeSignedData(parts);
}

/** Appends the root. It is unsigned, like the certificates: verifiers know it by its hash. */
function withRoot(
  parts: SignedDataParts,
  { signer: { root }, withRootMax = 0 }: SignedDataRequest,
): Buffer | null {
  if (!root || withRootMax === 0) return null;
  const certificates = [...parts.certificates, root];
  const encoded = encodeSignedData({ ...parts, certificates });
  return encoded.length <= withRootMax ? encoded : null;
}

/** The parts that determine all bytes of our SignedData. */
export interface SignedDataParts {
  readonly contentType: string;
  /** Null if detached. */
  readonly content: Uint8Array | null;
  /** The signer's, then each issuer's, up to the root or without it. */
  readonly certificates: readonly Uint8Array[];
  /** Whether to omit them from the encoding; then they only name the signer. */
  readonly isBare?: boolean;
  /** The signed attributes as they are signed: a SET. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  readonly unsigned: readonly Uint8Array[];
  /** AlgorithmIdentifiers, DER; ours if absent. */
  readonly algorithms?: { readonly digest: Uint8Array; readonly signature: Uint8Array };
}

/**
 * Returns the one encoding of these parts (RFC 5652 §5.1, §5.3). A reader of a SignedData compares
 * it with this, so that no other bytes represent the same parts. Throws if there is no certificate.
 */
export function encodeSignedData(parts: SignedDataParts): Buffer {
  const [leaf] = parts.certificates;
  if (!leaf) throw new Error('a signer has no certificate');
  // The same bytes are signed as a SET and sent as [0] IMPLICIT (RFC 5652 §5.4).
  const implicit = Buffer.concat([Buffer.of(0xa0), parts.signed.subarray(1)]);
  const { digest, signature } = parts.algorithms ?? ours;
  const signerInfo = der.sequence(
    der.integer(1),
    issuerAndSerial(leaf),
    digest,
    implicit,
    signature,
    der.octets(parts.signature),
    ...(parts.unsigned.length > 0 ? [der.context(1, ...parts.unsigned)] : []),
  );
  const content = parts.content ? [der.context(0, der.octets(parts.content))] : [];
  const signedData = der.sequence(
    der.integer(parts.contentType === oids.data ? 1 : 3),
    der.setOf(digest),
    der.sequence(der.oid(parts.contentType), ...content),
    ...(parts.isBare ? [] : [der.context(0, ...parts.certificates)]),
    der.setOf(signerInfo),
  );
  return der.sequence(der.oid(oids.signedData), der.context(0, signedData));
}

export function attribute(type: string, value: Uint8Array): Buffer {
  return der.sequence(der.oid(type), der.setOf(value));
}

export function algorithm(id: string): Buffer {
  return der.sequence(der.oid(id));
}

const ours = { digest: algorithm(oids.sha256), signature: algorithm(oids.ecdsaWithSha256) };

function issuerAndSerial(leaf: Uint8Array): Buffer {
  return der.sequence(readFields(leaf).issuerName.whole, serialOf(leaf));
}

const serialOf = (leaf: Uint8Array): Buffer =>
  der.tlv(tags.integer, Buffer.from(readFields(leaf).serial, 'hex'));

/** An ESSCertIDv2 without its default algorithm, as DER requires (RFC 5035 §4). */
function signingCertificate(leaf: Uint8Array): Buffer {
  const hash = createHash('sha256').update(leaf).digest();
  const name = der.context(4, readFields(leaf).issuerName.whole);
  const issuerSerial = der.sequence(der.sequence(name), serialOf(leaf));
  return der.sequence(der.sequence(der.sequence(der.octets(hash), issuerSerial)));
}
