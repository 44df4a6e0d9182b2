import type { ReadCms } from '../../pki/cms/read-cms.ts';
import { defectOf, entryOf, readCrl, type Crl, type CrlEntry } from '../../pki/revocation/crl.ts';
import { readCertificate, type Certificate } from '../../pki/x509/certificate.ts';
import { isCertifiedBy } from '../../pki/x509/is-certified-by.ts';
import { isForStampsAlone } from '../../pki/x509/is-for-stamps.ts';
import { notRead, type Answer, type Archive, type Rule, type State } from './verdict.ts';

/** A file without embedded CRLs can be judged only by current ones. */
const unknown = { fault: 'revocation_unknown', isUnknown: true } as const;
const notAsked = {
  skipped: 'no current revocation list: revocations after the last time stamp are unknown',
} as const;

/** keyCompromise, cACompromise and aACompromise (RFC 5280 §5.3.1). */
const compromises: ReadonlySet<number> = new Set([1, 2, 10]);

/** A certificate, and the time at which it was used. */
interface Use {
  readonly certificate: Certificate;
  readonly at: Date;
  /** Whether it belongs to the last time stamp: only its own key proves that time. */
  readonly isLast: boolean;
  /** When the next time stamp proves that this one existed; null for the last, and for a seal. */
  readonly shownAt: Date | null;
  /** Judged in an archive that a later one covers; its CA may have expired since. */
  readonly isVouchedFor: boolean;
}

/**
 * Checks by current CRLs that no certificate of the file was revoked when it was used. A thief of a
 * key could remove CRLs from a file, or seal before an older CRL expires. The given CRLs must cover
 * every CA; otherwise the result is indeterminate (EN 319 102-1 §5.5.4).
 */
export const checkStanding: Rule = (state, _roots, at) => {
  const { lists: currentLists, archives, root, stampRoot } = state;
  const lastRoot = archives.at(-1)?.root ?? root;
  // Without a time stamp, the time of the seal is now (EN 319 102-1 §5.3.4).
  const sealedAt = state.sealedAt ?? (state.isUnstamped ? at : null);
  if (!root || !lastRoot || !sealedAt) return notRead;
  if (currentLists.length === 0) return archives.length > 0 ? notAsked : unknown;
  const uses = usesOf(state, sealedAt);
  const roots = [root, lastRoot, stampRoot].filter((one) => one !== null);
  const above = roots.map(({ raw }) => readCertificate(raw));
  const issuers = [...uses.map(({ certificate }) => certificate), ...above];
  const lists = currentLists.map((der) => readCrl(der));
  let answer: Answer = 'ok';
  for (const use of uses) {
    const issuer = issuers.find(({ x509 }) => isCertifiedBy(use.certificate.x509(), x509()));
    const list = issuer && newestOf(lists, issuer, at);
    const begins = use.certificate.x509().validFromDate;
    if ((!list || list.thisUpdate < begins) && !use.isVouchedFor) answer = unknown;
    const entry = list && entryOf(list, use.certificate.serial);
    if (entry && doesSpoil(entry, use)) return { fault: 'revoked' };
  }
  return answer;
};

/**
 * Returns the uses to check. CRLs of an outside authority are rarely available: an archive contains
 * those of its time.
 */
function usesOf({ seal, token, archives, stampRoot }: State, sealedAt: Date): Use[] {
  const last = archives.at(-1)?.token ?? token;
  const of = (cms: ReadCms | null, at: Date, next?: Archive): Use[] =>
    (cms?.certificates ?? []).map(({ raw }) => ({
      certificate: readCertificate(raw),
      at,
      isLast: cms === last,
      shownAt: next?.stampedAt ?? null,
      isVouchedFor: cms !== last && archives.length > (stampRoot !== null && cms === token ? 0 : 1),
    }));
  return [
    ...of(seal, sealedAt),
    ...of(token, sealedAt, archives[0]),
    ...archives.flatMap((archive, index) =>
      of(archive.token, archive.stampedAt ?? sealedAt, archives[index + 1]),
    ),
  ];
}

/** Returns the newest full CRL of a CA that is in force at that time. */
function newestOf(lists: readonly Crl[], issuer: Certificate, at: Date): Crl | undefined {
  return lists
    .filter((list) => list.nextUpdate !== null && at < list.nextUpdate && !defectOf(list, at))
    .filter((list) => list.signed(issuer, 'refuse'))
    .toSorted((one, other) => other.thisUpdate.getTime() - one.thisUpdate.getTime())[0];
}

/**
 * Whether an entry invalidates the use of a certificate. The thief of a time-stamp key can write
 * any time into a stamp; only the next stamp proves that it existed before the theft.
 * @throws `MalformedDer`
 */
export function doesSpoil(
  { revokedAt, invalidSince, reason }: CrlEntry,
  { certificate, at, isLast, shownAt }: Omit<Use, 'isVouchedFor'>,
): boolean {
  const isStolen = isOfTheft(reason, certificate);
  if (isStolen && isLast) return true;
  const usedAt = isStolen && shownAt ? shownAt : at;
  return Math.min(revokedAt.getTime(), invalidSince?.getTime() ?? Infinity) <= usedAt.getTime();
}

/** For a time-stamp authority's certificate, a missing reason counts as theft (RFC 3161 §4). */
const isOfTheft = (reason: number | null, certificate: Certificate): boolean =>
  reason === null ? isForStampsAlone(certificate.x509()) : compromises.has(reason);
