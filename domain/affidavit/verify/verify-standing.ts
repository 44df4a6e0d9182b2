import type { ReadCms } from '../../pki/cms/read-cms.ts';
import { defectOf, entryOf, readCrl, type Crl, type CrlEntry } from '../../pki/revocation/crl.ts';
import { readCertificate, type Certificate } from '../../pki/x509/certificate.ts';
import { isCertifiedBy } from '../../pki/x509/is-certified-by.ts';
import { isForStampsAlone } from '../../pki/x509/is-for-stamps.ts';
import { notRead, type Answer, type Archive, type Rule, type State } from './verdict.ts';

/** Of a file whose lists do not lie in it nothing tells but those of today. */
const unknown = { fault: 'revocation_unknown', isUnknown: true } as const;
const notAsked = {
  skipped: 'no current revocation list: revocations after the last time stamp are unknown',
} as const;

/** keyCompromise, cACompromise and aACompromise (RFC 5280 §5.3.1). */
const compromises: ReadonlySet<number> = new Set([1, 2, 10]);

/** A certificate, and the instant that what it vouches for was made at. */
interface Use {
  readonly certificate: Certificate;
  readonly at: Date;
  /** It vouches for the last time stamp, whose time nothing but its own key tells. */
  readonly isLast: boolean;
  /** When the next time stamp shows that this one was there; null of the last, and of a seal. */
  readonly shownAt: Date | null;
  /** What an archive has judged, a later one vouches for: its CA may have ended since. */
  readonly isVouchedFor: boolean;
}

/**
 * By the lists of today, nothing that the file rests on was out of force when it was used; whoever
 * has a stolen key cuts lists off a file, or seals before a list of old has run out. Lists that are
 * given have to be those of every CA (EN 319 102-1 §5.5.4: else it is to be tried later).
 */
export const checkStanding: Rule = (state, _roots, at) => {
  const { lists: given, archives, root, stampRoot } = state;
  const lastRoot = archives.at(-1)?.root ?? root;
  // Of a seal that nobody stamped the time is now (EN 319 102-1 §5.3.4).
  const sealedAt = state.sealedAt ?? (state.isUnstamped ? at : null);
  if (!root || !lastRoot || !sealedAt) return notRead;
  if (given.length === 0) return archives.length > 0 ? notAsked : unknown;
  const uses = usesOf(state, sealedAt);
  const roots = [root, lastRoot, stampRoot].filter((one) => one !== null);
  const above = roots.map(({ raw }) => readCertificate(raw));
  const issuers = [...uses.map(({ certificate }) => certificate), ...above];
  const lists = given.map((der) => readCrl(der));
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

/** Few have the lists of an authority outside at hand: an archive holds those of its day. */
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

/** The newest full list of a CA that is in force at the instant. */
function newestOf(lists: readonly Crl[], issuer: Certificate, at: Date): Crl | undefined {
  return lists
    .filter((list) => list.nextUpdate !== null && at < list.nextUpdate && !defectOf(list, at))
    .filter((list) => list.signed(issuer, 'refuse'))
    .toSorted((one, other) => other.thisUpdate.getTime() - one.thisUpdate.getTime())[0];
}

/**
 * Who has the key of a time stamp writes any instant into it: that it was there before the theft
 * shows the next one alone. Throws `MalformedDer`.
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

/** Of an authority's own certificate silence counts as the worst of reasons (RFC 3161 §4). */
const isOfTheft = (reason: number | null, certificate: Certificate): boolean =>
  reason === null ? isForStampsAlone(certificate.x509()) : compromises.has(reason);
