import { createHash } from 'node:crypto';
import { MalformedDer } from '../../../pki/read-der.ts';
import {
  defectOf,
  hasUnknownEntry,
  isOfSameIssuer,
  maySign,
  readCrl,
  revokes,
  type Crl,
  type CrlDefect,
} from '../../../pki/revocation/crl.ts';
import type { LegacyPolicy } from '../../../pki/x509/algorithms.ts';
import type { CountryCertificate } from './certificate.ts';
import type { CscaStore } from './master-list.ts';
import type { SignatureTries } from './signature-tries.ts';

/** What the revocation lists say of a document signer and of those above it. */
export type Revocation =
  | 'clear'
  | 'revoked'
  /** The CSCA is, or a certificate that introduced it. */
  | 'authority revoked'
  /** No list of its issuer is at hand, or only ones past their next update. */
  | 'unknown'
  /** The one list at hand could revoke and cannot clear. */
  | CrlDefect
  /** A list that should have told cannot be read, or is not signed by a CSCA we trust. */
  | 'unusable'
  /** More signatures would have to be verified than are. */
  | 'too many';

/** What the lists of one document signer are held against. */
export interface CrlSearch {
  readonly store: CscaStore;
  /** From the CSCA that issued the signer up to the one we trust by itself; empty when unknown. */
  readonly path: readonly CountryCertificate[];
  readonly tries: SignatureTries;
  readonly at: Date;
  readonly legacy: LegacyPolicy;
}

/** What speaks against the signer first, then what clears it, then why nothing does. */
const order: readonly Revocation[] = [
  'revoked',
  'authority revoked',
  'too many',
  'clear',
  'unusable',
  'partial',
  'critical extension',
  'of the future',
  'without next update',
  'unknown',
];

/**
 * Looks a document signer, its CSCA and the links that introduced that up in the CRLs of their
 * issuers (ICAO 9303-12, CRL profile; RFC 5280 §5). A list counts when a trusted CSCA of the
 * issuer's name or key, and of its State, signed it: after a rollover the new key signs for the old
 * one's certificates too. An entry revokes whatever its date and however old the list: a revocation
 * is not taken back, and a stolen key can date its signatures at will. Only a full list that is in
 * force clears the signer. Each list is looked at once, however often it is given; the CSCA that
 * issued the signer is tried first, and all tries are counted.
 */
export function revocationOf(
  signer: CountryCertificate,
  crls: readonly Uint8Array[],
  search: CrlSearch,
): Revocation {
  const distinct = new Map(crls.map((der) => [digestOf(der), der]));
  const answers = new Set(Array.from(distinct.values(), (der) => answerOf(signer, der, search)));
  return order.find((answer) => answers.has(answer)) ?? 'unknown';
}

function answerOf(signer: CountryCertificate, der: Uint8Array, search: CrlSearch): Revocation {
  try {
    const crl = readCrl(der);
    const isOfSigner = isOfSameIssuer(signer, crl);
    const above = search.path.filter((each) => isOfSameIssuer(each, crl));
    if (!isOfSigner && above.length === 0) return 'unknown';
    const fault = signatureFaultOf(crl, search);
    if (fault) return fault;
    if (isOfSigner && revokes(crl, signer.serial)) return 'revoked';
    if (above.some(({ serial }) => revokes(crl, serial))) return 'authority revoked';
    if (!isOfSigner) return 'unknown';
    return defectOf(crl, search.at) ?? clearanceOf(crl, search.at);
  } catch (error) {
    if (error instanceof MalformedDer) return 'unusable';
    throw error;
  }
}

function clearanceOf(crl: Crl, at: Date): 'critical extension' | 'unknown' | 'clear' {
  if (crl.nextUpdate !== null && crl.nextUpdate < at) return 'unknown';
  return hasUnknownEntry(crl) ? 'critical extension' : 'clear';
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
function* candidatesOf(
  crl: Crl,
  { path: [csca], store }: CrlSearch,
): Generator<CountryCertificate> {
  const isFirst = csca && (csca.subject.key === crl.issuer.key || hasKeyOf(csca, crl));
  if (isFirst && maySign(csca, crl)) yield csca;
  for (const issuer of signersOf(crl, store)) if (issuer !== csca) yield issuer;
}

const hasKeyOf = ({ subjectKeyId }: CountryCertificate, { authorityKeyId }: Crl): boolean =>
  authorityKeyId !== null && authorityKeyId === subjectKeyId;

const digestOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('base64');

/** A trusted CSCA, found by the list's issuer name or key, signed the list. */
export function isTrusted(crl: Crl, store: CscaStore, legacy: LegacyPolicy): boolean {
  return signersOf(crl, store).some((issuer) => crl.signed(issuer, legacy));
}

/** The CSCAs of the list's own State that may have signed it. */
const signersOf = (crl: Crl, store: CscaStore): CountryCertificate[] =>
  store.issuersOf(crl).filter((each) => maySign(each, crl));
