import type { Logger } from 'pino';
import { MalformedDer } from '../../../domain/pki/read-der.ts';
import {
  crlBytesMax,
  issuerKeyOf,
  listsOf,
  readCrl,
  type Crl,
} from '../../../domain/pki/revocation/crl.ts';
import type { LegacyPolicy } from '../../../domain/pki/x509/algorithms.ts';
import {
  joinCscaStores,
  masterListBytesMax,
  parseMasterList,
} from '../../../domain/proofs/passport/signer/master-list.ts';
import { isTrusted } from '../../../domain/proofs/passport/signer/revocation.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { RefreshedLists } from '../../../workflows/trust-list-refresh/messages.ts';
import { throwIfCanceled } from '../../runtime/cancellation.ts';
import { providerDown } from '../../vendors/provider.ts';
import { fetchList, type PublishedLists } from '../../vendors/published-lists.ts';
import type { PassportTrustCache } from './passport-trust-cache.ts';

/** Lists to fetch by schedule, and the root that verifies the master list. */
export interface TrustListSources {
  readonly masterList: { readonly url: string; readonly rootDer: Uint8Array } | null;
  readonly crlUrls: readonly string[];
}

export interface TrustListActivities {
  refreshTrustLists(): Promise<RefreshedLists>;
}

export interface TrustListDeps {
  readonly sources: TrustListSources;
  readonly lists: PublishedLists;
  readonly trust: PassportTrustCache;
  readonly legacyAlgorithms: LegacyPolicy;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** Fetches lists that States publish, stores valid newer ones, and returns counts. */
export function createTrustListActivities(deps: TrustListDeps): TrustListActivities {
  return { refreshTrustLists: () => refresh(deps) };
}

interface Source {
  readonly url: string;
  readonly sizeBytesMax: number;
  /**
   * Returns the copy to store, from the fetched bytes and the stored copy; null when nothing
   * changed.
   * @throws MalformedDer, or Failure `trust_list_invalid`, for bytes that must not be used
   */
  readonly joined: (bytes: Uint8Array, before: Uint8Array | null) => Promise<Uint8Array | null>;
}

/** Limit for the lists of all issuers at one address. */
const copyBytesMax = 4 * crlBytesMax;
const older = 'older than the one at hand';

/**
 * Tries every source before an unavailable one fails the attempt, so that the retry finds the
 * others unchanged. A list with a wrong signature, or older than the stored one, is logged and
 * skipped, because a retry would not help.
 */
async function refresh(deps: TrustListDeps): Promise<RefreshedLists> {
  const counts = { taken: 0, unchanged: 0, refused: 0 };
  let isAway = false;
  for (const source of sourcesOf(deps)) {
    try {
      counts[await take(source, deps)] += 1;
    } catch (error) {
      throwIfCanceled();
      if (!(error instanceof Failure) || error.code !== 'dependency_unavailable') throw error;
      deps.log.warn({ url: source.url }, 'a published list is not to be had');
      isAway = true;
    }
  }
  if (isAway) throw providerDown('published lists', undefined);
  return counts;
}

function sourcesOf({ sources, trust, legacyAlgorithms, clock }: TrustListDeps): Source[] {
  const { masterList, crlUrls } = sources;
  const joined: Source['joined'] = async (bytes, before) => {
    const { published, linked, development } = await trust.current();
    const store = joinCscaStores([published, linked, development]);
    const isSigned = (crl: Crl): boolean => isTrusted(crl, store, legacyAlgorithms);
    return joinedCrls(bytes, before, { isSigned, at: clock() });
  };
  const list = masterList && {
    url: masterList.url,
    sizeBytesMax: masterListBytesMax,
    joined: (bytes: Uint8Array, before: Uint8Array | null) =>
      newerList(bytes, before, masterList.rootDer),
  };
  const crls = crlUrls.map((url) => ({ url, sizeBytesMax: crlBytesMax, joined }));
  return [...(list ? [list] : []), ...crls];
}

async function newerList(
  bytes: Uint8Array,
  before: Uint8Array | null,
  rootDer: Uint8Array,
): Promise<Uint8Array | null> {
  if (before && Buffer.compare(before, bytes) === 0) return null;
  const { signedAt } = parseMasterList(bytes, rootDer);
  const held = before && (await orNull(() => parseMasterList(before, rootDer)));
  if (held?.signedAt && (!signedAt || signedAt < held.signedAt)) throw new MalformedDer(older);
  return bytes;
}

/**
 * A copy holds one CRL for each key that signed one at this address. A list of another State at the
 * same address replaces no list, and after a key rollover both keys' lists count.
 */
async function joinedCrls(
  bytes: Uint8Array,
  before: Uint8Array | null,
  { isSigned, at }: { readonly isSigned: (crl: Crl) => boolean; readonly at: Date },
): Promise<Uint8Array | null> {
  const crl = readCrl(bytes);
  if (!isSigned(crl)) throw new MalformedDer('no CSCA that is trusted signed it');
  const held = ((before && (await orNull(() => listsOf(before)))) ?? []).filter(isSigned);
  const isOwn = (other: Crl): boolean => issuerKeyOf(other, at) === issuerKeyOf(crl, at);
  if (held.some(({ der }) => Buffer.compare(der, crl.der) === 0)) return null;
  if (held.some((other) => isOwn(other) && crl.thisUpdate < other.thisUpdate)) {
    throw new MalformedDer(older);
  }
  const others = held.filter((other) => !isOwn(other));
  const copy = Buffer.concat([...others, crl].map(({ der }) => der));
  if (copy.length > copyBytesMax) throw new MalformedDer('that address has too many lists');
  return copy;
}

async function take(source: Source, deps: TrustListDeps): Promise<keyof RefreshedLists> {
  const { url, sizeBytesMax } = source;
  const bytes = await fetchList(url, sizeBytesMax);
  const before = await deps.lists.of(url);
  let copy: Uint8Array | null = null;
  const fault = await faultOf(async () => {
    copy = await source.joined(bytes, before);
  });
  if (fault !== null) {
    deps.log.warn({ url, fault }, 'a published list is refused');
    return 'refused';
  }
  if (!copy) return 'unchanged';
  await deps.lists.keep(url, copy);
  // CRLs come after the master list with their possible issuers.
  if (url === deps.sources.masterList?.url) await deps.trust.renew();
  return 'taken';
}

async function faultOf(judge: () => Promise<void> | void): Promise<string | null> {
  try {
    await judge();
    return null;
  } catch (error) {
    if (error instanceof MalformedDer) return error.message;
    if (error instanceof Failure && error.code === 'trust_list_invalid') return error.message;
    throw error;
  }
}

/** A stored list may be trusted under another root only. It then does not block a new list. */
async function orNull<T>(read: () => T): Promise<T | null> {
  let found: T | null = null;
  const fault = await faultOf(() => {
    found = read();
  });
  return fault === null ? found : null;
}
