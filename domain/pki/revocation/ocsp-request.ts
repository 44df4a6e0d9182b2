import {
  childrenOf,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../read-der.ts';
import { readExtensions } from '../x509/extensions.ts';

/** Fits the largest number of certificates with their longest names, and a nonce. */
export const ocspRequestBytesMax = 4 * 1024;
const certificatesMax = 16;
/** Nonces that are longer, or empty, are refused (RFC 9654 §2.1). */
const nonceBytesMax = 128;
/** RFC 5280 §4.1.2.2, plus one sign octet. */
const serialBytesMax = 21;

const nonceOid = '1.3.6.1.5.5.7.48.1.2';
/** Extensions that this responder reads or may ignore. */
const knownExtensions: readonly string[] = [nonceOid, '1.3.6.1.5.5.7.48.1.4'];

/** A requested certificate (CertID, RFC 6960 §4.1.1). */
export interface RequestedCertificate {
  /** As in the request; the response repeats it unchanged. */
  readonly whole: Uint8Array;
  readonly hashOid: string;
  readonly issuerNameHash: Uint8Array;
  readonly issuerKeyHash: Uint8Array;
  /** Hex, as stored. */
  readonly serial: string;
}

export interface OcspRequest {
  readonly asked: readonly RequestedCertificate[];
  /** The extension's value, to be returned (RFC 9654); null if none was sent. */
  readonly nonce: Uint8Array | null;
}

/**
 * Reads an OCSP request (RFC 6960 §4.1.1), DER. Ignores a signature on it, since every caller gets
 * an answer.
 * @throws `MalformedDer`, also for an unknown critical extension
 */
export function readOcspRequest(bytes: Uint8Array): OcspRequest {
  if (bytes.length > ocspRequestBytesMax) throw new MalformedDer('the request is too long');
  const outer = childrenOf(readElement(bytes, tags.sequence).contents);
  const rest = childrenOf(take(outer, tags.sequence).contents);
  takeIf(outer, 0xa0);
  const version = takeIf(rest, 0xa0);
  // Version 1 is the default, which DER omits; some clients write it.
  if (version && readElement(version.contents, tags.integer).contents.join() !== '0') {
    throw new MalformedDer('another version');
  }
  takeIf(rest, 0xa1);
  const asked = childrenOf(take(rest, tags.sequence).contents).map(readRequested);
  const extensions = extensionsOf(takeIf(rest, 0xa2));
  if (rest.length > 0 || outer.length > 0) throw new MalformedDer('more than a request');
  if (asked.length === 0 || asked.length > certificatesMax) {
    throw new MalformedDer('of no certificate, or of too many');
  }
  return { asked, nonce: nonceOf(extensions) };
}

function readRequested(element: Element): RequestedCertificate {
  if (element.tag !== tags.sequence) throw new MalformedDer('not a request');
  const request = childrenOf(element.contents);
  const certId = take(request, tags.sequence);
  extensionsOf(takeIf(request, 0xa0));
  if (request.length > 0) throw new MalformedDer('more than a request');
  const rest = childrenOf(certId.contents);
  const algorithm = childrenOf(take(rest, tags.sequence).contents);
  const hashOid = oidOf(take(algorithm, tags.oid).contents);
  const issuerNameHash = take(rest, tags.octetString).contents;
  const issuerKeyHash = take(rest, tags.octetString).contents;
  const serial = serialOf(take(rest, tags.integer).contents);
  if (rest.length > 0) throw new MalformedDer('more than a name');
  return { whole: certId.whole, hashOid, issuerNameHash, issuerKeyHash, serial };
}

function serialOf(contents: Uint8Array): string {
  if (contents.length === 0 || contents.length > serialBytesMax) {
    throw new MalformedDer('not a serial');
  }
  const hex = Buffer.from(contents).toString('hex');
  return contents.length > 1 && contents[0] === 0 ? hex.slice(2) : hex;
}

/** Returns extension values by OID. A critical one must be known (RFC 5280 §4.2). */
function extensionsOf(element: Element | null): ReadonlyMap<string, Uint8Array> {
  const found = element ? readExtensions(element.contents) : [];
  if (found.some(({ oid, isCritical }) => isCritical && !knownExtensions.includes(oid))) {
    throw new MalformedDer('an extension is not understood');
  }
  const values = new Map(found.map(({ oid, value }) => [oid, value]));
  if (values.size < found.length) throw new MalformedDer('an extension stands twice');
  return values;
}

function nonceOf(extensions: ReadonlyMap<string, Uint8Array>): Uint8Array | null {
  const value = extensions.get(nonceOid);
  if (!value) return null;
  const { length } = readElement(value, tags.octetString).contents;
  if (length === 0 || length > nonceBytesMax) throw new MalformedDer('not a nonce');
  return value;
}
