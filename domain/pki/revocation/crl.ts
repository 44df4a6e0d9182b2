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

/** A CRL that was read; `signed` says whether it is what this certificate's key signed. */
export interface Crl {
  readonly der: Uint8Array;
  readonly issuer: Name;
  readonly authorityKeyId: string | null;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | null;
  readonly entries: Uint8Array;
  /** It holds the changes since another list, or the certificates of one kind or place alone. */
  readonly isPartial: boolean;
  /** Entries may name other issuers: a serial number alone accuses nobody. */
  readonly isIndirect: boolean;
  /** An extension is critical and not understood. */
  readonly hasUnknownCritical: boolean;
  readonly signed: (issuer: Pick<Certificate, 'publicKey'>, legacy: LegacyPolicy) => boolean;
}

/** The lists of States are small; one goes into the evidence file of every passport it is for. */
export const crlBytesMax = 2 * 1024 * 1024;

/** A certificate of the list's State whose key may sign lists (RFC 5280 §6.3.3 (f)). */
export const maySign = (
  { subject, keyUsage }: { readonly subject: Name; readonly keyUsage: number | null },
  { issuer }: Crl,
): boolean =>
  subject.country === issuer.country && (keyUsage === null || (keyUsage & keyUsages.crlSign) !== 0);

/**
 * Whose list it is, and of which kind: of two with one name and key the newer counts, but one that
 * clears nobody takes no place of one that does.
 */
export const issuerKeyOf = (crl: Crl, at: Date): string =>
  `${crl.issuer.key} ${crl.authorityKeyId ?? ''} ${defectOf(crl, at) ?? ''}`;

/** Why a list clears nobody, though it may revoke. */
export type CrlDefect = 'critical extension' | 'partial' | 'of the future' | 'without next update';

/**
 * RFC 5280 §5.2: a list with a critical extension that is not understood tells nobody's standing,
 * and §5.1.2.5 demands the next update. ICAO 9303-12's profile knows full lists alone.
 */
export function defectOf(crl: Crl, at: Date): CrlDefect | null {
  if (crl.isPartial) return 'partial';
  if (crl.hasUnknownCritical) return 'critical extension';
  if (crl.nextUpdate === null) return 'without next update';
  return crl.thisUpdate > at ? 'of the future' : null;
}

/** Lists in DER, one after the other. Throws `MalformedDer`. */
export const listsOf = (copy: Uint8Array): Crl[] =>
  Array.from(elementsOf(copy), ({ whole }) => readCrl(whole));

/** The list can speak of the certificate: one name issued both, or one key. */
export function isOfSameIssuer(
  certificate: { readonly issuer: Name; readonly authorityKeyId: string | null },
  crl: Crl,
): boolean {
  if (crl.issuer.key === certificate.issuer.key) return true;
  return crl.authorityKeyId !== null && crl.authorityKeyId === certificate.authorityKeyId;
}

/**
 * Whether it has this certificate's serial number. Of an indirect list the number may be another
 * issuer's, and in a partial one an entry may lift a revocation (RFC 5280 §5.3.1): neither counts.
 * Throws `MalformedDer`.
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

/** What a list says of one certificate (RFC 5280 §5.3). */
export interface CrlEntry {
  readonly revokedAt: Date;
  /** Since when its key is not to be relied on, where that is known to be earlier. */
  readonly invalidSince: Date | null;
  /** CRLReason (§5.3.1); null where none is given. */
  readonly reason: number | null;
}

/** The entry of a serial number in a full, direct list, or null. Throws `MalformedDer`. */
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

/** A critical extension of one entry that is not understood spoils the list (RFC 5280 §5.3). */
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
  const field = takeIf(rest, 0xa0);
  if (rest.length > 0) throw new MalformedDer('not a CRL');
  const scheme = schemeOf(readAlgorithm(outer.whole), null);
  const sameAlgorithm = Buffer.from(inner.whole).equals(outer.whole);
  const asked = new WeakMap<Pick<Certificate, 'publicKey'>, boolean>();
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
      const isIts = asked.get(by) ?? verifyBytes(scheme, by.publicKey(), tbs.whole, signature);
      asked.set(by, isIts);
      return isIts;
    },
  };
}

/**
 * Understood, or changing nothing: issuerAltName, cRLNumber, authorityKeyIdentifier; of an entry
 * reasonCode, holdInstructionCode and invalidityDate.
 */
const known: ReadonlySet<string> = new Set([18, 20, 35, 21, 23, 24].map((arc) => `2.5.29.${arc}`));
const isUnknown = ({ oid, isCritical }: Extension): boolean => isCritical && !known.has(oid);
const [deltaIndicator, distributionPoint] = ['2.5.29.27', '2.5.29.28'];

function readListExtensions(
  field: Element | null,
): Pick<Crl, 'authorityKeyId' | 'isPartial' | 'isIndirect' | 'hasUnknownCritical'> {
  const all = field ? readExtensions(field.contents) : [];
  // Of a repeated extension the first one.
  const byOid = new Map(all.toReversed().map((each) => [each.oid, each]));
  const point = byOid.get(distributionPoint)?.value;
  return {
    authorityKeyId: authorityKeyIdOf(byOid),
    // An issuing distribution point says what a list leaves out (RFC 5280 §5.2.5).
    isPartial: point !== undefined || byOid.has(deltaIndicator),
    isIndirect: point !== undefined && isForOthers(point),
    hasUnknownCritical: all.some(isUnknown),
  };
}

const isForOthers = (point: Uint8Array): boolean =>
  childrenOf(readElement(point, tags.sequence).contents).some(
    ({ tag, contents }) => tag === 0x84 && contents[0] !== 0,
  );
