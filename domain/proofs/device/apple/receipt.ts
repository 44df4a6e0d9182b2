import { verify } from 'node:crypto';
import { readSignedData, type SignerInfo } from '../../../pki/cms/signed-data.ts';
import {
  childrenOf,
  MalformedDer,
  readElement,
  take,
  tags,
  type Element,
} from '../../../pki/read-der.ts';
import {
  dateFaultOf,
  isSame,
  issueFaultOf,
  readCertificate,
  unknownCriticalOf,
  type Certificate,
} from '../../../pki/x509/certificate.ts';

/** An App Attest receipt: Apple's signed statement about one key (CMS, RFC 5652). */
export interface Receipt {
  readonly content: Uint8Array;
  readonly certificates: readonly Certificate[];
  readonly signer: Certificate;
  readonly signature: Uint8Array;
  readonly appId: string;
  /** The attested leaf certificate, DER. */
  readonly attested: Uint8Array;
  /** 32 bytes in the first receipt; Apple corrupts it on renewal. Kept unchanged. */
  readonly clientDataHash: Uint8Array | null;
  readonly type: string;
  readonly environment: string;
  readonly createdAt: string;
  readonly notBefore: string | null;
  readonly expiresAt: string;
  readonly riskMetric: number | null;
}

const receiptBytesMax = 16 * 1024;
const certificatesMax = 5;
const plainData = '1.2.840.113549.1.7.1';
const receiptSigning = '1.2.840.113635.100.12.15';

/** AlgorithmIdentifiers are compared byte for byte, since no signature covers them. */
const sha256Identifier = '300d06096086480165030402010500';
const ecdsaSha256Identifier = '300a06082a8648ce3d040302';

const fieldTypes = {
  appId: 2,
  attested: 3,
  clientDataHash: 4,
  type: 6,
  environment: 7,
  createdAt: 12,
  riskMetric: 17,
  notBefore: 19,
  expiresAt: 21,
} as const;

/**
 * Reads a receipt. Apple writes BER: indefinite lengths, content in pieces. Unsigned parts must
 * match exactly, so that a changed bit is detected there too.
 * @throws `MalformedDer`
 */
export function readReceipt(bytes: Uint8Array): Receipt {
  if (bytes.length > receiptBytesMax) throw new MalformedDer('the receipt is too long');
  const data = readSignedData(bytes);
  const { content, certificates, digestAlgorithms } = data;
  isNumber(data.version, 1);
  const [digest, ...others] = digestAlgorithms;
  if (!digest || others.length > 0) throw new MalformedDer('another algorithm');
  isExactly(digest, sha256Identifier);
  if (data.contentType !== plainData || !content) throw new MalformedDer('content');
  if (!certificates || data.hasRevocationLists) throw new MalformedDer('certificates alone');
  if (certificates.length > certificatesMax) throw new MalformedDer('too many certificates');
  return {
    ...readSigner(
      data.signer,
      certificates.map((der) => readCertificate(der)),
    ),
    content,
    ...readContent(content),
  };
}

/** Whether the signer signed the receipt's content (RFC 5652 §5.6, no attributes). */
export function isSigned({ content, signer, signature }: Receipt): boolean {
  try {
    return verify('sha256', content, signer.x509().publicKey, signature);
  } catch {
    return false;
  }
}

/**
 * Returns why the signer does not chain to a trusted root, or null if it does. All included
 * certificates must be part of the chain. Dates are judged at the creation of the receipt.
 */
export function receiptChainFaultOf(
  receipt: Receipt,
  anchors: readonly Certificate[],
): string | null {
  const { signer, certificates } = receipt;
  if (!signer.extensions.has(receiptSigning)) return 'the signer may not sign receipts';
  if (signer.x509().ca) return 'the signer is an authority';
  const unused = new Set(certificates);
  const createdAt = new Date(receipt.createdAt);
  let current = signer;
  for (;;) {
    unused.delete(current);
    // Apple's certificates live one year, and a receipt is judged for longer.
    const fault = dateFaultOf(current, createdAt);
    if (fault) return fault;
    const unknown = unknownCriticalOf(current);
    if (unknown) return `critical extension ${unknown}`;
    const anchor = anchors.find((candidate) => issueFaultOf(current, candidate) === null);
    if (anchor) {
      const isForeign = [...unused].some((other) => !isSame(other, anchor));
      return isForeign ? 'a certificate is not of the chain' : dateFaultOf(anchor, createdAt);
    }
    const issuer = [...unused].find((candidate) => issueFaultOf(current, candidate) === null);
    if (!issuer) return 'no trusted root';
    current = issuer;
  }
}

/** How far Apple's clock may be ahead of ours; genuine receipts were up to 2.6 s ahead. */
const toleranceMs = 5_000;

/** Returns why `at` is outside the life of a receipt, from its creation to its expiry, or null. */
export function receiptDateFaultOf({ createdAt, expiresAt }: Receipt, at: Date): string | null {
  if (!(at <= new Date(expiresAt))) return `not valid after ${expiresAt}`;
  const isMadeLater = Date.parse(createdAt) - at.getTime() > toleranceMs;
  return isMadeLater ? `not valid before ${createdAt}` : null;
}

/** Returns the receipt's statements for a verdict. Times in Apple's form, ISO 8601. */
export function receiptFacts(receipt: Receipt): Record<string, unknown> {
  return {
    type: receipt.type,
    environment: receipt.environment,
    created_at: receipt.createdAt,
    ...(receipt.notBefore === null ? {} : { not_before: receipt.notBefore }),
    expires_at: receipt.expiresAt,
    ...(receipt.riskMetric === null ? {} : { risk_metric: receipt.riskMetric }),
  };
}

/** Reads a version 1 SignerInfo: the signer by issuer and serial number, without attributes. */
function readSigner(
  info: SignerInfo,
  certificates: readonly Certificate[],
): Pick<Receipt, 'certificates' | 'signer' | 'signature'> {
  isNumber(info.version, 1);
  if (info.identifier.tag !== tags.sequence || info.signedAttributes || info.unsignedAttributes) {
    throw new MalformedDer('another kind of signer');
  }
  const identifier = childrenOf(info.identifier.contents);
  const issuer = take(identifier, tags.sequence).whole;
  const serial = Buffer.from(onlyOf(identifier, tags.integer).contents).toString('hex');
  isExactly(info.digestAlgorithm, sha256Identifier);
  isExactly(info.signatureAlgorithm, ecdsaSha256Identifier);
  if (info.signature.tag !== tags.octetString) throw new MalformedDer('not a signature');
  const signature = info.signature.contents;
  const signer = certificates.find(
    (one) => Buffer.compare(one.issuerName.whole, issuer) === 0 && one.serial === serial,
  );
  if (!signer) throw new MalformedDer('the signer sent no certificate');
  return { certificates, signer, signature };
}

/** Reads a SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }. */
function readContent(
  content: Uint8Array,
): Omit<Receipt, 'content' | 'certificates' | 'signer' | 'signature'> {
  const values = new Map<number, Uint8Array>();
  for (const field of childrenOf(readElement(content, tags.set).contents)) {
    const rest = childrenOf(field.contents);
    const type = numberOf(take(rest, tags.integer).contents);
    take(rest, tags.integer);
    if (values.has(type)) throw new MalformedDer('a field stands twice');
    values.set(type, onlyOf(rest, tags.octetString).contents);
  }
  const optional = (name: keyof typeof fieldTypes): string | null => {
    const value = values.get(fieldTypes[name]);
    return value ? Buffer.from(value).toString('utf8') : null;
  };
  const text = (name: keyof typeof fieldTypes): string => {
    const value = optional(name);
    if (value === null) throw new MalformedDer(`no field ${fieldTypes[name]}`);
    return value;
  };
  const attested = values.get(fieldTypes.attested);
  if (!attested) throw new MalformedDer('no attested certificate');
  const notBefore = optional('notBefore');
  return {
    appId: text('appId'),
    attested,
    clientDataHash: values.get(fieldTypes.clientDataHash) ?? null,
    type: text('type'),
    environment: text('environment'),
    createdAt: instant(text('createdAt')),
    notBefore: notBefore === null ? null : instant(notBefore),
    expiresAt: instant(text('expiresAt')),
    riskMetric: metric(optional('riskMetric')),
  };
}

function instant(text: string): string {
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text);
  if (!isIso || Number.isNaN(Date.parse(text))) throw new MalformedDer('not an instant');
  return text;
}

function metric(text: string | null): number | null {
  if (text === null) return null;
  if (!/^\d{1,9}$/.test(text)) throw new MalformedDer('not a risk metric');
  return Number(text);
}

function numberOf(contents: Uint8Array): number {
  if (contents.length === 0 || contents.length > 4) throw new MalformedDer('not a small number');
  return Buffer.from(contents).readIntBE(0, contents.length);
}

function isNumber(contents: Uint8Array, expected: number): void {
  if (numberOf(contents) !== expected) throw new MalformedDer('another version');
}

function isExactly({ whole }: Element, hex: string): void {
  if (Buffer.from(whole).toString('hex') !== hex) throw new MalformedDer('another algorithm');
}

/** Returns the only remaining element, which must have this tag. */
function onlyOf(elements: Element[], tag: number): Element {
  const element = take(elements, tag);
  if (elements.length > 0) throw new MalformedDer('too many fields');
  return element;
}
