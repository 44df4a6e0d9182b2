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
} from '../read-der.ts';
import {
  readAlgorithm,
  refusalOf,
  schemeOf,
  verifyBytes,
  type LegacyPolicy,
} from '../x509/algorithms.ts';
import { keyUsages, readName, type Certificate, type Name } from '../x509/read-certificate.ts';

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
  readonly signed: (issuer: Certificate, legacy: LegacyPolicy) => boolean;
}

/** The lists of States are small; one goes into the evidence file of every passport it is for. */
export const crlBytesMax = 2 * 1024 * 1024;

/** A certificate of the list's State whose key may sign lists (RFC 5280 §6.3.3 (f)). */
export const maySign = ({ subject, keyUsage }: Certificate, { issuer }: Crl): boolean =>
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
export function isOfSameIssuer(certificate: Certificate, crl: Crl): boolean {
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
  return list ? extensionsOf(list) : [];
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
  const asked = new WeakMap<Certificate, boolean>();
  return {
    der,
    issuer,
    ...readExtensions(field),
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

interface Extension {
  readonly oid: string;
  readonly isCritical: boolean;
  readonly value: Uint8Array;
}

const extensionsOf = (list: Element): Extension[] =>
  childrenOf(list.contents).map((extension) => {
    const rest = childrenOf(extension.contents);
    const oid = oidOf(take(rest, tags.oid).contents);
    const critical = takeIf(rest, tags.boolean);
    const { contents: value } = take(rest, tags.octetString);
    return { oid, isCritical: critical !== null && critical.contents[0] !== 0, value };
  });

/**
 * Understood, or changing nothing: issuerAltName, cRLNumber, authorityKeyIdentifier; of an entry
 * reasonCode, holdInstructionCode and invalidityDate.
 */
const known: ReadonlySet<string> = new Set([18, 20, 35, 21, 23, 24].map((arc) => `2.5.29.${arc}`));
const isUnknown = ({ oid, isCritical }: Extension): boolean => isCritical && !known.has(oid);
const [deltaIndicator, distributionPoint] = ['2.5.29.27', '2.5.29.28'];

function readExtensions(
  field: Element | null,
): Pick<Crl, 'authorityKeyId' | 'isPartial' | 'isIndirect' | 'hasUnknownCritical'> {
  const all = field ? extensionsOf(readElement(field.contents, tags.sequence)) : [];
  const valueOf = (oid: string): Uint8Array | undefined =>
    all.find((each) => each.oid === oid)?.value;
  const point = valueOf(distributionPoint);
  return {
    authorityKeyId: authorityKeyIdOf(valueOf('2.5.29.35')),
    // An issuing distribution point says what a list leaves out (RFC 5280 §5.2.5).
    isPartial: point !== undefined || valueOf(deltaIndicator) !== undefined,
    isIndirect: point !== undefined && isForOthers(point),
    hasUnknownCritical: all.some(isUnknown),
  };
}

const isForOthers = (point: Uint8Array): boolean =>
  childrenOf(readElement(point, tags.sequence).contents).some(
    ({ tag, contents }) => tag === 0x84 && contents[0] !== 0,
  );

function authorityKeyIdOf(value: Uint8Array | undefined): string | null {
  if (!value) return null;
  const [keyId] = childrenOf(readElement(value, tags.sequence).contents);
  return keyId?.tag === 0x80 ? Buffer.from(keyId.contents).toString('hex') : null;
}
