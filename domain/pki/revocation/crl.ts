import {
  childrenOf,
  elementsOf,
  MalformedDer,
  readElement,
  take,
  takeIf,
  tags,
  timeOf,
  type Element,
} from '../read-der.ts';
import {
  readAlgorithm,
  refusalOf,
  schemeOf,
  verifyBytes,
  type LegacyPolicy,
} from '../x509/algorithms.ts';
import type { Certificate } from '../x509/certificate.ts';
import { authorityKeyIdOf, keyUsages, readExtensions, type Extension } from '../x509/extensions.ts';
import { readName, type Name } from '../x509/name.ts';

/** A parsed CRL; `signed` reports whether a given certificate's key signed it. */
export interface Crl {
  readonly der: Uint8Array;
  readonly issuer: Name;
  readonly authorityKeyId: string | null;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | null;
  readonly entries: Uint8Array;
  /** It lists the changes since another CRL, or only certificates of one kind or scope. */
  readonly isPartial: boolean;
  /** Entries may belong to other issuers, so a serial number alone identifies no certificate. */
  readonly isIndirect: boolean;
  /** It has a critical extension that is not understood. */
  readonly hasUnknownCritical: boolean;
  readonly signed: (issuer: Pick<Certificate, 'publicKey'>, legacy: LegacyPolicy) => boolean;
}

/** The lists of States are small; each passport's evidence file includes one. */
export const crlBytesMax = 2 * 1024 * 1024;

/**
 * Whether a certificate belongs to the CRL's State and its key may sign CRLs (RFC 5280 §6.3.3 (f)).
 */
export const maySign = (
  { subject, keyUsage }: { readonly subject: Name; readonly keyUsage: number | null },
  { issuer }: Crl,
): boolean =>
  subject.country === issuer.country && (keyUsage === null || (keyUsage & keyUsages.crlSign) !== 0);

/**
 * Identifies the issuer and the kind of a CRL. Of two with the same name and key the newer counts;
 * but a defective one does not replace one that can clear a certificate.
 */
export const issuerKeyOf = (crl: Crl, at: Date): string =>
  `${crl.issuer.key} ${crl.authorityKeyId ?? ''} ${defectOf(crl, at) ?? ''}`;

/** Why a CRL cannot clear a certificate, though it may revoke one. */
export type CrlDefect = 'critical extension' | 'partial' | 'of the future' | 'without next update';

/**
 * Returns the defect of a CRL, or null. A CRL with an unknown critical extension proves no
 * certificate good (RFC 5280 §5.2), and §5.1.2.5 requires the next update. The profile of ICAO
 * 9303-12 has only full lists.
 */
export function defectOf(crl: Crl, at: Date): CrlDefect | null {
  if (crl.isPartial) return 'partial';
  if (crl.hasUnknownCritical) return 'critical extension';
  if (crl.nextUpdate === null) return 'without next update';
  return crl.thisUpdate > at ? 'of the future' : null;
}

/**
 * Reads concatenated CRLs in DER.
 * @throws `MalformedDer`
 */
export const listsOf = (copy: Uint8Array): Crl[] =>
  Array.from(elementsOf(copy), ({ whole }) => readCrl(whole));

/** Whether the CRL and the certificate have the same issuer: the same name, or the same key. */
export function isOfSameIssuer(
  certificate: { readonly issuer: Name; readonly authorityKeyId: string | null },
  crl: Crl,
): boolean {
  if (crl.issuer.key === certificate.issuer.key) return true;
  return crl.authorityKeyId !== null && crl.authorityKeyId === certificate.authorityKeyId;
}

/**
 * Whether the CRL revokes this serial number. Two cases do not count: in an indirect CRL the number
 * may be another issuer's, and in a partial CRL an entry may lift a revocation (RFC 5280 §5.3.1).
 * @throws `MalformedDer`
 */
export function revokes({ entries, isIndirect }: Crl, serial: string): boolean {
  if (isIndirect) return false;
  const sought = Buffer.from(serial, 'hex');
  for (const entry of elementsOf(entries)) {
    const [revoked] = elementsOf(entry.contents);
    if (revoked?.tag !== tags.integer) throw new MalformedDer('not a revoked certificate');
    if (sought.equals(revoked.contents) && !isLifted(entry)) return true;
  }
  return false;
}

/** The entry of one certificate (RFC 5280 §5.3). */
export interface CrlEntry {
  readonly revokedAt: Date;
  /** Time from which the key is not reliable, if known to be before the revocation. */
  readonly invalidSince: Date | null;
  /** CRLReason (§5.3.1); null if none is given. */
  readonly reason: number | null;
}

/**
 * Returns the entry of a serial number in a full, direct CRL, or null.
 * @throws `MalformedDer`
 */
export function entryOf({ entries }: Crl, serial: string): CrlEntry | null {
  const sought = Buffer.from(serial, 'hex');
  for (const entry of elementsOf(entries)) {
    const [number, time] = childrenOf(entry.contents);
    if (number?.tag !== tags.integer || !time) throw new MalformedDer('not a revoked certificate');
    if (!sought.equals(number.contents)) continue;
    const found = extensionsOfEntry(entry);
    const valueOf = (oid: string) => found.find((each) => each.oid === oid)?.value;
    const [reason, since] = [valueOf('2.5.29.21'), valueOf('2.5.29.24')];
    return {
      revokedAt: timeOf(time),
      invalidSince: since ? timeOf(readElement(since, tags.generalizedTime)) : null,
      reason: reason ? (readElement(reason, 0x0a).contents[0] ?? null) : null,
    };
  }
  return null;
}

/**
 * Whether an entry has an unknown critical extension: it makes the CRL unusable (RFC 5280 §5.3).
 */
export function hasUnknownEntry({ entries }: Crl): boolean {
  for (const entry of elementsOf(entries)) {
    if (extensionsOfEntry(entry).some(isUnknown)) return true;
  }
  return false;
}

const removeFromCrl = 8;

function isLifted(entry: Element): boolean {
  const reason = extensionsOfEntry(entry).find(({ oid }) => oid === '2.5.29.21');
  return reason !== undefined && readElement(reason.value, 0x0a).contents[0] === removeFromCrl;
}

function extensionsOfEntry(entry: Element): Extension[] {
  const list = childrenOf(entry.contents).find(({ tag }) => tag === tags.sequence);
  return list ? readExtensions(list.whole) : [];
}

/**
 * Reads a CertificateList (RFC 5280 §5.1), DER. The entries stay bytes, since there may be very
 * many.
 * @throws `MalformedDer`
 */
export function readCrl(der: Uint8Array): Crl {
  if (der.length > crlBytesMax) throw new MalformedDer('the CRL is larger than 2 MiB');
  const [tbs, outer, bits, more] = childrenOf(readElement(der, tags.sequence).contents);
  // A further element would be unsigned, and yet stored with the signed ones.
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
  const field = takeIf(rest, 0xa0);
  if (rest.length > 0) throw new MalformedDer('not a CRL');
  const scheme = schemeOf(readAlgorithm(outer.whole), null);
  const sameAlgorithm = Buffer.from(inner.whole).equals(outer.whole);
  const verified = new WeakMap<Pick<Certificate, 'publicKey'>, boolean>();
  return {
    der,
    issuer,
    ...readListExtensions(field),
    thisUpdate,
    nextUpdate: next ? timeOf(next) : null,
    entries,
    signed(by, legacy) {
      if (!scheme || !sameAlgorithm || refusalOf(scheme, by.publicKey(), legacy)) return false;
      const signature = bits.contents.subarray(1);
      const isIts = verified.get(by) ?? verifyBytes(scheme, by.publicKey(), tbs.whole, signature);
      verified.set(by, isIts);
      return isIts;
    },
  };
}

/**
 * Extensions that are understood or have no effect here. Of the list: issuerAltName, cRLNumber,
 * authorityKeyIdentifier; of an entry: reasonCode, holdInstructionCode, invalidityDate.
 */
const known: ReadonlySet<string> = new Set([18, 20, 35, 21, 23, 24].map((arc) => `2.5.29.${arc}`));
const isUnknown = ({ oid, isCritical }: Extension): boolean => isCritical && !known.has(oid);
const [deltaIndicator, distributionPoint] = ['2.5.29.27', '2.5.29.28'];

function readListExtensions(
  field: Element | null,
): Pick<Crl, 'authorityKeyId' | 'isPartial' | 'isIndirect' | 'hasUnknownCritical'> {
  const all = field ? readExtensions(field.contents) : [];
  // If an extension is repeated, the first one counts.
  const byOid = new Map(all.toReversed().map((each) => [each.oid, each]));
  const point = byOid.get(distributionPoint)?.value;
  return {
    authorityKeyId: authorityKeyIdOf(byOid),
    // An issuing distribution point restricts the scope of a list (RFC 5280 §5.2.5).
    isPartial: point !== undefined || byOid.has(deltaIndicator),
    isIndirect: point !== undefined && isForOthers(point),
    hasUnknownCritical: all.some(isUnknown),
  };
}

const isForOthers = (point: Uint8Array): boolean =>
  childrenOf(readElement(point, tags.sequence).contents).some(
    ({ tag, contents }) => tag === 0x84 && contents[0] !== 0,
  );
