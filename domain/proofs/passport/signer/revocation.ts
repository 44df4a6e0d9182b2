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

/** Result of the revocation lists for a document signer and the certificates above it. */
export type Revocation =
  | 'clear'
  | 'revoked'
  /** The CSCA is revoked, or a certificate that introduced it. */
  | 'authority revoked'
  /** There is no list of its issuer, or only outdated ones. */
  | 'unknown'
  /** The only available list can revoke but not clear. */
  | CrlDefect
  /** A relevant list is unreadable, or no trusted CSCA signed it. */
  | 'unusable'
  /** The limit of signature verifications was reached. */
  | 'too many';

/** The inputs to check the lists of one document signer. */
export interface CrlSearch {
  readonly store: CscaStore;
  /** From the CSCA that issued the signer up to the directly trusted one; empty if unknown. */
  readonly path: readonly CountryCertificate[];
  readonly tries: SignatureTries;
  readonly at: Date;
  readonly legacy: LegacyPolicy;
}

/**
 * By priority: results against the signer, then `clear`, then the reasons why it is not cleared.
 */
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
 * Looks up a document signer, its CSCA and the links above it in the CRLs of their issuers (ICAO
 * 9303-12, CRL profile; RFC 5280 §5).
 * - A list counts if a trusted CSCA with the issuer's name or key, of the same State, signed it:
 *   after a rollover the new key also signs for the old key's certificates.
 * - An entry revokes whatever its date and the age of the list: a revocation is final, and a
 *   stolen key can backdate its signatures.
 * - Only a current full list clears the signer.
 * - Each list is checked once. The CSCA that issued the signer is tried first, and every try
 *   counts.
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

/**
 * Yields the CSCA that issued the signer if it may have signed the list, then all other candidates.
 */
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

/** Whether a trusted CSCA, found by the list's issuer name or key, signed the list. */
export function isTrusted(crl: Crl, store: CscaStore, legacy: LegacyPolicy): boolean {
  return signersOf(crl, store).some((issuer) => crl.signed(issuer, legacy));
}

/** Returns the CSCAs of the list's own State that may have signed it. */
const signersOf = (crl: Crl, store: CscaStore): CountryCertificate[] =>
  store.issuersOf(crl).filter((each) => maySign(each, crl));
