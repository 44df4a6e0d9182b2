import { sha256 } from '@noble/hashes/sha2.js';
import {
  childrenOf,
  MalformedDer,
  oidOf,
  readElement,
  takeIf,
  tags,
} from '../../../domain/pki/read-der.ts';
import { readAlgorithm, schemeOf, type Scheme } from '../../../domain/pki/x509/algorithms.ts';
import { readName } from '../../../domain/pki/x509/name.ts';
import { Buffer, lack } from './buffer.ts';
import {
  areGood,
  dateOf,
  integerText,
  oids,
  orElse,
  partsOf,
  type Parts,
} from './certificate-parts.ts';
import { nameText } from './name-text.ts';
import { publicKeyOf, type PublicKey } from './public-key.ts';

const keyCertSign = 0x04;

/**
 * A certificate with the members of node:crypto's `X509Certificate` that the verifier uses. The
 * constructor throws for malformed DER. It is stricter than OpenSSL, which accepts some malformed
 * encodings.
 */
export class X509Certificate {
  readonly #raw: Buffer;
  readonly #parts: Parts;

  constructor(input: Uint8Array | string) {
    const der = typeof input === 'string' ? derOf(input) : Buffer.from(input);
    // Node's class accepts PEM anywhere in the bytes, instead of the DER.
    if (typeof input !== 'string' && der.includes('-----BEGIN')) {
      throw new MalformedDer('a certificate within a certificate');
    }
    this.#parts = partsOf(der);
    this.#raw = der;
  }

  get raw(): Buffer {
    return this.#raw;
  }

  get subject(): string {
    return nameText(this.#parts.subject);
  }

  get issuer(): string {
    return nameText(this.#parts.issuer);
  }

  /** Uppercase hexadecimal in whole bytes. */
  get serialNumber(): string {
    return integerText(this.#parts.serial);
  }

  get fingerprint256(): string {
    const pairs = Buffer.from(sha256(this.raw)).toString('hex').toUpperCase().match(/../g);
    return (pairs ?? []).join(':');
  }

  get validFromDate(): Date {
    return dateOf(this.#parts.validity[0]);
  }

  get validToDate(): Date {
    return dateOf(this.#parts.validity[1]);
  }

  /**
   * Whether basic constraints mark a CA, and its key usage, if present, allows signing
   * certificates.
   */
  get ca(): boolean {
    return orElse(false, () => {
      const constraints = this.#parts.extensions.get(oids.basicConstraints);
      if (!constraints) return false;
      const rest = childrenOf(readElement(constraints, tags.sequence).contents);
      const isCa = takeIf(rest, tags.boolean)?.contents[0] ?? 0;
      return isCa !== 0 && this.#mayCertify() && areGood(this.#parts.extensions);
    });
  }

  /** The extended key usages; undefined if the extension is absent. */
  get keyUsage(): string[] | undefined {
    const value = this.#parts.extensions.get(oids.extendedKeyUsage);
    if (!value) return undefined;
    return orElse(undefined, () =>
      childrenOf(readElement(value, tags.sequence).contents).map((one) => {
        if (one.tag !== tags.oid) throw new MalformedDer('not a purpose');
        return oidOf(one.contents);
      }),
    );
  }

  get publicKey(): PublicKey {
    return publicKeyOf(this.#parts.spki);
  }

  /**
   * Whether `key` signed the certificate (RFC 5280 §6.1.3 a 1). Both algorithm fields must be
   * equal.
   */
  verify(key: PublicKey): boolean {
    const { tbs, innerAlgorithm, outerAlgorithm, signature } = this.#parts;
    if (Buffer.compare(innerAlgorithm, outerAlgorithm) !== 0) return false;
    const scheme = schemeOf(readAlgorithm(outerAlgorithm), null);
    if (!scheme) throw new MalformedDer('an algorithm nobody knows');
    if (!isOfKey(scheme, key)) return false;
    if (scheme.family === 'rsa-pss') throw lack('RSA-PSS');
    return key.verify(scheme.hash, tbs.whole, { signature, encoding: 'der' });
  }

  /** Whether `issuer` issued this certificate, by names, key identifiers and key usage. */
  checkIssued(issuer: X509Certificate): boolean {
    const own = this.#parts;
    const above = issuer.#parts;
    return orElse(false, () => {
      if (!areGood(own.extensions) || !areGood(above.extensions)) return false;
      if (readName(own.issuer).key !== readName(above.subject).key) return false;
      if (!isNamedKey(own.extensions.get(oids.authorityKeyId), above)) return false;
      const scheme = schemeOf(readAlgorithm(own.innerAlgorithm), null);
      return scheme !== null && isOfKey(scheme, issuer.publicKey) && issuer.#mayCertify();
    });
  }

  #mayCertify(): boolean {
    const value = this.#parts.extensions.get(oids.keyUsage);
    if (!value) return true;
    return ((readElement(value, tags.bitString).contents[1] ?? 0) & keyCertSign) !== 0;
  }
}

const isOfKey = ({ family }: Scheme, { asymmetricKeyType: type }: PublicKey): boolean =>
  (family === 'ecdsa' && type === 'ec') ||
  ((family === 'rsa' || family === 'rsa-pss') && type === 'rsa');

function derOf(pem: string): Buffer {
  const [, body] = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/.exec(pem) ?? [];
  if (body === undefined) throw new Error('no certificate in PEM');
  return Buffer.from(body, 'base64');
}

/** Whether the authority key identifier, if present, matches the issuer's key and serial number. */
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
