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
import * as der from '../write-der.ts';

/** An imprint, a nonce and a policy need some hundred bytes. */
export const queryBytesMax = 2 * 1024;
const nonceBytesMax = 64;

/** Hashes that are secure today, with their length. */
const hashBytes: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.2.1', 32],
  ['2.16.840.1.101.3.4.2.2', 48],
  ['2.16.840.1.101.3.4.2.3', 64],
]);

/** Bit of each PKIFailureInfo (RFC 3161 §2.4.2). */
export const failures = {
  badAlg: 0,
  badRequest: 2,
  badDataFormat: 5,
  unacceptedPolicy: 15,
  unacceptedExtension: 16,
  systemFailure: 25,
} as const;
export type TimestampFailure = keyof typeof failures;

export interface TimestampQuery {
  /** MessageImprint, encoded anew: DER. */
  readonly messageImprint: Buffer;
  readonly imprint: Uint8Array;
  /** INTEGER, DER; null if none was sent. */
  readonly nonce: Buffer | null;
  /** Whether the client requests the signer's certificates. */
  readonly hasCertificates: boolean;
}

/**
 * Reads a time-stamp query (TimeStampReq, RFC 3161 §2.4.1) and checks that this authority
 * supports it.
 * @returns the failure to answer with if it is no query or requests anything else
 */
export function readQuery(bytes: Uint8Array, policy: string): TimestampQuery | TimestampFailure {
  try {
    return read(bytes, policy);
  } catch (error) {
    if (error instanceof MalformedDer) return 'badDataFormat';
    throw error;
  }
}

function read(bytes: Uint8Array, policy: string): TimestampQuery | TimestampFailure {
  if (bytes.length > queryBytesMax) throw new MalformedDer('the query is too long');
  const rest = childrenOf(readElement(bytes, tags.sequence).contents);
  if (take(rest, tags.integer).contents.join() !== '1') return 'badRequest';
  const messageImprint = readImprint(take(rest, tags.sequence));
  const requestedPolicy = takeIf(rest, tags.oid);
  const nonce = takeIf(rest, tags.integer);
  const certificates = takeIf(rest, tags.boolean);
  // Critical or not, an unknown extension may not be ignored (§2.4.1).
  const isExtended = takeIf(rest, 0xa0) !== null;
  if (rest.length > 0) throw new MalformedDer('more than a query');
  if (messageImprint === null) return 'badAlg';
  if (requestedPolicy && oidOf(requestedPolicy.contents) !== policy) return 'unacceptedPolicy';
  if (isExtended) return 'unacceptedExtension';
  return {
    ...messageImprint,
    nonce: nonce && nonceOf(nonce.contents),
    hasCertificates: certificates !== null && truthOf(certificates.contents),
  };
}

/** Returns null if the hash is not supported. */
function readImprint(element: Element): Pick<TimestampQuery, 'messageImprint' | 'imprint'> | null {
  const rest = childrenOf(element.contents);
  const algorithm = childrenOf(take(rest, tags.sequence).contents);
  const hash = oidOf(take(algorithm, tags.oid).contents);
  const imprint = take(rest, tags.octetString).contents;
  const [parameters, ...more] = algorithm;
  const isPlain = !parameters || (parameters.tag === 5 && parameters.contents.length === 0);
  if (!isPlain || more.length > 0 || rest.length > 0) throw new MalformedDer('not an imprint');
  const length = hashBytes.get(hash);
  if (length === undefined) return null;
  if (imprint.length !== length) throw new MalformedDer('an imprint of another length');
  const named = der.sequence(der.oid(hash), ...(parameters ? [parameters.whole] : []));
  return { messageImprint: der.sequence(named, der.octets(imprint)), imprint };
}

function nonceOf(contents: Uint8Array): Buffer {
  if (contents.length === 0 || contents.length > nonceBytesMax) {
    throw new MalformedDer('not a nonce');
  }
  return der.tlv(tags.integer, contents);
}

/** Reads a BOOLEAN: TRUE is 0xff; FALSE is the default, which some clients write (X.690 §11.1). */
function truthOf(contents: Uint8Array): boolean {
  const [octet] = contents;
  if (contents.length !== 1 || (octet !== 0 && octet !== 0xff)) throw new MalformedDer('no truth');
  return octet === 0xff;
}
