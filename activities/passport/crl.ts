import { createHash } from 'node:crypto';
import {
  readAlgorithm,
  refusalOf,
  schemeOf,
  verifyBytes,
  type LegacyPolicy,
} from './algorithms.ts';
import { readName, type Certificate, type Name } from './certificate.ts';
import {
  childrenOf,
  elementsOf,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  timeOf,
  type Element,
} from './der.ts';
import type { CscaStore } from './master-list.ts';
import type { SignatureTries } from './signature-tries.ts';

/** What the revocation lists say of one certificate. */
export type Revocation =
  | 'clear'
  | 'revoked'
  /** No list of its issuer is at hand, or only ones past their next update. */
  | 'unknown'
  /** A list that should have told cannot be read, or is not signed by a CSCA we trust. */
  | 'unusable'
  /** More signatures would have to be verified than are. */
  | 'too many';

/** A CRL that was read; `signed` says whether it is what this certificate's key signed. */
export interface Crl {
  readonly der: Uint8Array;
  readonly issuer: Name;
  readonly authorityKeyId: string | null;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | null;
  readonly entries: Uint8Array;
  readonly signed: (issuer: Certificate, legacy: LegacyPolicy) => boolean;
}

/** What the lists of one document signer are held against. */
export interface CrlSearch {
  readonly store: CscaStore;
  /** The CSCA that issued the signer; null when none is known. */
  readonly csca: Certificate | null;
  readonly tries: SignatureTries;
  readonly at: Date;
  readonly legacy: LegacyPolicy;
}

/** The lists of States are small; one goes into the evidence file of every passport it is for. */
export const crlBytesMax = 2 * 1024 * 1024;

/**
 * Looks a document signer up in the CRLs of its CSCA (ICAO 9303-12, CRL profile; RFC 5280 §5).
 * A list counts when a trusted CSCA of the issuer's name or key signed it: after a rollover the
 * new key signs for the old one's certificates too. An entry revokes whatever its date and however
 * old the list: a revocation is not taken back, and a stolen key can date its signatures at will.
 * Each list is looked at once, however often it is given; the CSCA that issued the signer is tried
 * first, and all tries are counted.
 */
export function revocationOf(
  certificate: Certificate,
  crls: readonly Uint8Array[],
  search: CrlSearch,
): Revocation {
  const distinct = new Map(crls.map((der) => [digestOf(der), der]));
  const answers = new Set(
    Array.from(distinct.values(), (der) => answerOf(certificate, der, search)),
  );
  const order: readonly Revocation[] = ['revoked', 'too many', 'clear', 'unusable', 'unknown'];
  return order.find((answer) => answers.has(answer)) ?? 'unknown';
}

function answerOf(certificate: Certificate, der: Uint8Array, search: CrlSearch): Revocation {
  try {
    const crl = readCrl(der);
    if (!isOfSameIssuer(certificate, crl)) return 'unknown';
    const fault = signatureFaultOf(crl, search);
    if (fault) return fault;
    if (lists(crl, certificate.serial)) return 'revoked';
    return crl.nextUpdate && crl.nextUpdate < search.at ? 'unknown' : 'clear';
  } catch (error) {
    if (error instanceof MalformedDer) return 'unusable';
    throw error;
  }
}

function signatureFaultOf(crl: Crl, search: CrlSearch): 'unusable' | 'too many' | null {
  if (!search.tries.areLeft()) return 'too many';
  for (const issuer of candidatesOf(crl, search)) {
    if (!search.tries.take()) return 'too many';
    if (crl.signed(issuer, search.legacy)) return null;
  }
  return 'unusable';
}

/** The CSCA that issued the signer when it may be the list's too, then all that may. */
function* candidatesOf(crl: Crl, { csca, store }: CrlSearch): Generator<Certificate> {
  const isFirst = csca?.subject.key === crl.issuer.key || hasKeyOf(csca, crl);
  if (csca && isFirst) yield csca;
  for (const issuer of store.issuersOf(crl)) if (issuer !== csca) yield issuer;
}

const hasKeyOf = (csca: Certificate | null, { authorityKeyId }: Crl): boolean =>
  authorityKeyId !== null && authorityKeyId === csca?.subjectKeyId;

/** A CSCA we trust, of the list's issuer by name or key, signed it. */
export function isTrusted(crl: Crl, store: CscaStore, legacy: LegacyPolicy): boolean {
  return store.issuersOf(crl).some((issuer) => crl.signed(issuer, legacy));
}

/** Whose list it is: of two with one name and key the newer counts. */
export const issuerKeyOf = ({ issuer, authorityKeyId }: Crl): string =>
  `${issuer.key} ${authorityKeyId ?? ''}`;

/** Lists in DER, one after the other. Throws `MalformedDer`. */
export const listsOf = (copy: Uint8Array): Crl[] =>
  Array.from(elementsOf(copy), ({ whole }) => readCrl(whole));

/** The list can speak of the certificate: one name issued both, or one key. */
export function isOfSameIssuer(certificate: Certificate, crl: Crl): boolean {
  if (crl.issuer.key === certificate.issuer.key) return true;
  return crl.authorityKeyId !== null && crl.authorityKeyId === certificate.authorityKeyId;
}

const digestOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('base64');

function lists(crl: Crl, serial: string): boolean {
  const sought = Buffer.from(serial, 'hex');
  for (const entry of elementsOf(crl.entries)) {
    const [revoked] = elementsOf(entry.contents);
    if (revoked?.tag !== tags.integer) throw new MalformedDer('not a revoked certificate');
    if (sought.equals(revoked.contents)) return true;
  }
  return false;
}

/**
 * CertificateList (RFC 5280 §5.1), DER. The entries stay bytes: a list may hold very many.
 * Throws `MalformedDer`.
 */
export function readCrl(der: Uint8Array): Crl {
  if (der.length > crlBytesMax) throw new MalformedDer('the CRL is larger than 2 MiB');
  const [tbs, outer, bits, more] = childrenOf(readElement(der, tags.sequence).contents);
  // Whatever else stood here would be unsigned, and be kept with what is.
  if (tbs?.tag !== tags.sequence || !outer || bits?.tag !== tags.bitString || more) {
    throw new MalformedDer('not a CRL');
  }
  const rest = childrenOf(tbs.contents);
  takeIf(rest, tags.integer);
  const inner = take(rest, tags.sequence);
  const issuer = readName(take(rest, tags.sequence));
  const thisUpdate = timeOf(rest.shift() ?? tbs);
  const next = takeIf(rest, tags.utcTime) ?? takeIf(rest, tags.generalizedTime);
  const entries = takeIf(rest, tags.sequence)?.contents ?? new Uint8Array();
  const authorityKeyId = authorityKeyIdOf(takeIf(rest, 0xa0));
  const scheme = schemeOf(readAlgorithm(outer.whole), null);
  const sameAlgorithm = Buffer.from(inner.whole).equals(outer.whole);
  return {
    der,
    issuer,
    authorityKeyId,
    thisUpdate,
    nextUpdate: next ? timeOf(next) : null,
    entries,
    signed(by, legacy) {
      if (!scheme || !sameAlgorithm || refusalOf(scheme, by.publicKey(), legacy)) return false;
      return verifyBytes(scheme, by.publicKey(), tbs.whole, bits.contents.subarray(1));
    },
  };
}

function authorityKeyIdOf(field: Element | null): string | null {
  if (!field) return null;
  for (const extension of childrenOf(readElement(field.contents, tags.sequence).contents)) {
    const rest = childrenOf(extension.contents);
    if (oidOf(take(rest, tags.oid).contents) !== '2.5.29.35') continue;
    takeIf(rest, tags.boolean);
    const value = readElement(take(rest, tags.octetString).contents, tags.sequence);
    const [keyId] = childrenOf(value.contents);
    return keyId?.tag === 0x80 ? Buffer.from(keyId.contents).toString('hex') : null;
  }
  return null;
}
