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
} from '../../activities/passport/der.ts';
import { sha256 } from '@noble/hashes/sha2.js';
import { readName } from '../../activities/passport/certificate.ts';
import { readAlgorithm, schemeOf, type Scheme } from '../../activities/passport/algorithms.ts';
import { Buffer, lack } from './buffer.ts';
import { nameText } from './name-text.ts';
import { publicKeyOf, type PublicKey } from './public-key.ts';

const oids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;
const keyCertSign = 0x04;

interface Parts {
  readonly tbs: Element;
  readonly serial: Uint8Array;
  readonly innerAlgorithm: Uint8Array;
  readonly outerAlgorithm: Uint8Array;
  readonly issuer: Element;
  readonly subject: Element;
  readonly validity: readonly [Date, Date];
  readonly spki: Uint8Array;
  readonly extensions: ReadonlyMap<string, Uint8Array>;
  readonly signature: Uint8Array;
}

/**
 * A certificate as node:crypto's `X509Certificate` tells it to the verifier. Throws for what is
 * none: what OpenSSL forgives in the writing of one is not forgiven here.
 */
export class X509Certificate {
  readonly raw: Buffer;
  readonly #parts: Parts;

  constructor(given: Uint8Array | string) {
    const der = typeof given === 'string' ? derOf(given) : Buffer.from(given);
    // The other takes PEM from anywhere in bytes, in their place.
    if (typeof given !== 'string' && der.includes('-----BEGIN')) throw lack('PEM in bytes');
    this.#parts = partsOf(der);
    this.raw = der;
  }

  get subject(): string {
    return nameText(this.#parts.subject);
  }

  /** Hexadecimal in capitals, whole bytes. */
  get serialNumber(): string {
    const hex = Buffer.from(this.#parts.serial).toString('hex').toUpperCase();
    return hex.replace(/^(?:00)+(?=.)/, '');
  }

  get fingerprint256(): string {
    const pairs = Buffer.from(sha256(this.raw)).toString('hex').toUpperCase().match(/../g);
    return (pairs ?? []).join(':');
  }

  get validFromDate(): Date {
    return this.#parts.validity[0];
  }

  get validToDate(): Date {
    return this.#parts.validity[1];
  }

  /** A CA by its basic constraints, whose key may sign certificates where that is said at all. */
  get ca(): boolean {
    const { extensions } = this.#parts;
    const constraints = extensions.get(oids.basicConstraints);
    if (!constraints) return false;
    const rest = childrenOf(readElement(constraints, tags.sequence).contents);
    return takeIf(rest, tags.boolean)?.contents[0] === 0xff && this.#mayCertify();
  }

  /** The extended key usages; undefined where nothing is said. */
  get keyUsage(): string[] | undefined {
    const value = this.#parts.extensions.get(oids.extendedKeyUsage);
    if (!value) return undefined;
    return childrenOf(readElement(value, tags.sequence).contents).map((one) => {
      if (one.tag !== tags.oid) throw new MalformedDer('not a purpose');
      return oidOf(one.contents);
    });
  }

  get publicKey(): PublicKey {
    return publicKeyOf(this.#parts.spki);
  }

  /** Whether a key signed it (RFC 5280 §6.1.3 a 1), under the one algorithm it names twice. */
  verify(key: PublicKey): boolean {
    const { tbs, innerAlgorithm, outerAlgorithm, signature } = this.#parts;
    if (Buffer.compare(innerAlgorithm, outerAlgorithm) !== 0) return false;
    const scheme = schemeOf(readAlgorithm(outerAlgorithm), null);
    if (!scheme || !isOfKey(scheme, key)) throw lack('the signature of a certificate');
    return key.verify(scheme.hash, tbs.whole, { signature, encoding: 'der' });
  }

  /** Whether its issuer is this one, by names, key identifiers and what its key may do. */
  checkIssued(issuer: X509Certificate): boolean {
    const own = this.#parts;
    const above = issuer.#parts;
    if (readName(own.issuer).key !== readName(above.subject).key) return false;
    if (!isNamedKey(own.extensions.get(oids.authorityKeyId), above)) return false;
    return issuer.#mayCertify();
  }

  #mayCertify(): boolean {
    const value = this.#parts.extensions.get(oids.keyUsage);
    if (!value) return true;
    return ((readElement(value, tags.bitString).contents[1] ?? 0) & keyCertSign) !== 0;
  }
}

const isOfKey = ({ family }: Scheme, { asymmetricKeyType: type }: PublicKey): boolean =>
  (family === 'ecdsa' && type === 'ec') || (family === 'rsa' && type === 'rsa');

function derOf(pem: string): Buffer {
  const [, body] = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/.exec(pem) ?? [];
  if (body === undefined) throw new Error('no certificate in PEM');
  return Buffer.from(body, 'base64');
}

/** RFC 5280 §4.1, field by field. Throws `MalformedDer`. */
function partsOf(der: Buffer): Parts {
  const whole = childrenOf(readElement(der, tags.sequence).contents);
  const tbs = take(whole, tags.sequence);
  const outerAlgorithm = take(whole, tags.sequence).whole;
  const bits = take(whole, tags.bitString).contents;
  const rest = childrenOf(tbs.contents);
  takeIf(rest, 0xa0);
  const serial = take(rest, tags.integer).contents;
  const innerAlgorithm = take(rest, tags.sequence).whole;
  const issuer = take(rest, tags.sequence);
  const [from, to, ...more] = childrenOf(take(rest, tags.sequence).contents);
  const subject = take(rest, tags.sequence);
  const spki = take(rest, tags.sequence).whole;
  takeIf(rest, 0x81);
  takeIf(rest, 0x82);
  const field = takeIf(rest, 0xa3);
  if (!from || !to || more.length > 0 || rest.length > 0 || whole.length > 0 || bits[0] !== 0) {
    throw new MalformedDer('not a certificate');
  }
  return {
    tbs,
    serial,
    innerAlgorithm,
    outerAlgorithm,
    issuer,
    subject,
    validity: [timeOf(from), timeOf(to)],
    spki,
    extensions: field ? extensionsOf(field) : new Map(),
    signature: bits.subarray(1),
  };
}

function extensionsOf(field: Element): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const extension of childrenOf(readElement(field.contents, tags.sequence).contents)) {
    const rest = childrenOf(extension.contents);
    const oid = oidOf(take(rest, tags.oid).contents);
    takeIf(rest, tags.boolean);
    if (found.has(oid)) throw new MalformedDer('an extension stands twice');
    found.set(oid, take(rest, tags.octetString).contents);
  }
  return found;
}

/** What a certificate says of its issuer's key is true of it, as far as it says anything. */
function isNamedKey(authority: Uint8Array | undefined, above: Parts): boolean {
  if (!authority) return true;
  const rest = childrenOf(readElement(authority, tags.sequence).contents);
  const keyId = takeIf(rest, 0x80)?.contents;
  const own = above.extensions.get(oids.subjectKeyId);
  if (keyId && own) {
    const ownId = readElement(own, tags.octetString).contents;
    if (Buffer.compare(keyId, ownId) !== 0) return false;
  }
  takeIf(rest, 0xa1);
  const serial = takeIf(rest, 0x82)?.contents;
  return !serial || Buffer.compare(serial, above.serial) === 0;
}
