import { createPrivateKey, randomBytes, sign } from 'node:crypto';
import { readCertificate } from '../../domain/pki/x509/certificate.ts';
import { readReceipt } from '../../domain/proofs/device/apple/receipt.ts';
import { element, integer, octetString, oid, sequence } from '../der.ts';
import { derOf, type AppleDevelopmentRoots } from '../roots/apple.ts';
import { sha256Algorithm } from '../roots/passport.ts';

/** Content of a receipt. */
export interface ReceiptStatement {
  /** TEAM.bundle. */
  readonly appId: string;
  /** Certificate of the attested key, DER. */
  readonly attested: Uint8Array;
  /** 32 bytes. */
  readonly clientDataHash: Uint8Array;
  readonly type: 'ATTEST' | 'RECEIPT';
  readonly environment: 'sandbox' | 'production';
  readonly createdAt: Date;
  /** Earliest renewal: 24 hours later. Only in renewed receipts. */
  readonly notBefore?: Date | undefined;
  /** Default: 90 days later. */
  readonly expiresAt?: Date | undefined;
  /** Keys attested on this device in 30 days. Only in renewed receipts. */
  readonly riskMetric?: number | undefined;
}

const dayMs = 24 * 3600_000;
const lifeMs = 90 * dayMs;
const pieceBytes = 1_000;

/**
 * Signs a receipt as Apple does: CMS SignedData without attributes (RFC 5652 §5), in BER with
 * indefinite lengths and the content in pieces of 1,000 octets.
 */
export function issueReceipt(
  roots: AppleDevelopmentRoots,
  statement: ReceiptStatement,
): Uint8Array {
  return signReceipt(roots, element(0x31, ...fieldsOf(statement)));
}

/** Signs a receipt over any content, also content that a genuine signer would not sign. */
export function signReceipt(roots: AppleDevelopmentRoots, content: Uint8Array): Uint8Array {
  const { receiptSigner, receiptCaPem, receiptRootPem } = roots;
  const certificates = [receiptSigner.certificatePem, receiptCaPem, receiptRootPem].map(derOf);
  const { issuerName, serial } = readCertificate(derOf(receiptSigner.certificatePem));
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += pieceBytes) {
    pieces.push(octetString(content.subarray(at, at + pieceBytes)));
  }
  const signerInfo = sequence(
    integer(1),
    sequence(issuerName.whole, element(0x02, Buffer.from(serial, 'hex'))),
    sha256Algorithm,
    sequence(oid('1.2.840.10045.4.3.2')),
    octetString(sign('sha256', content, createPrivateKey(receiptSigner.keyPem))),
  );
  const signed = indefinite(
    0x30,
    integer(1),
    element(0x31, sha256Algorithm),
    indefinite(0x30, oid('1.2.840.113549.1.7.1'), indefinite(0xa0, indefinite(0x24, ...pieces))),
    indefinite(0xa0, ...certificates),
    element(0x31, signerInfo),
  );
  return indefinite(0x30, oid('1.2.840.113549.1.7.2'), indefinite(0xa0, signed));
}

/**
 * Returns the receipt that Apple's server issues for a receipt: type RECEIPT, for the same key,
 * with a risk metric. Verifies nothing.
 * @throws `MalformedDer` for bytes that are not a receipt
 */
export function renewReceipt(
  roots: AppleDevelopmentRoots,
  receipt: Uint8Array,
  now: Date,
  riskMetric = 1,
): Uint8Array {
  const { appId, attested, clientDataHash, environment } = readReceipt(receipt);
  return issueReceipt(roots, {
    appId,
    attested,
    clientDataHash: clientDataHash ?? new Uint8Array(32),
    type: 'RECEIPT',
    environment: environment === 'production' ? 'production' : 'sandbox',
    createdAt: now,
    notBefore: new Date(now.getTime() + dayMs),
    riskMetric,
  });
}

/** Apple's order, which differs from the DER order of a SET. */
function fieldsOf(statement: ReceiptStatement): Buffer[] {
  const { createdAt, notBefore, riskMetric } = statement;
  const expiresAt = statement.expiresAt ?? new Date(createdAt.getTime() + lifeMs);
  return [
    ...(riskMetric === undefined ? [] : [field(17, String(riskMetric))]),
    field(2, statement.appId),
    field(3, statement.attested),
    field(4, statement.clientDataHash),
    field(5, randomBytes(64).toString('base64')),
    field(6, statement.type),
    field(7, statement.environment),
    field(12, createdAt.toISOString()),
    ...(notBefore === undefined ? [] : [field(19, notBefore.toISOString())]),
    field(21, expiresAt.toISOString()),
  ];
}

const field = (type: number, value: string | Uint8Array): Buffer =>
  sequence(
    integer(type),
    integer(1),
    octetString(typeof value === 'string' ? Buffer.from(value) : value),
  );

const indefinite = (tag: number, ...contents: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(tag, 0x80), ...contents, Buffer.alloc(2)]);
