import type { Logger } from 'pino';
import { Failure } from '../../workflows/failures.ts';
import type { RefreshedLists } from '../../workflows/trust-list-refresh/messages.ts';
import { providerDown } from '../provider.ts';
import type { LegacyPolicy } from './algorithms.ts';
import { crlBytesMax, isTrusted, readCrl } from './crl.ts';
import { MalformedDer } from './der.ts';
import type { HeldTrust } from './held-trust.ts';
import { joinCscaStores, masterListBytesMax, parseMasterList } from './master-list.ts';
import { fetchList, type PublishedLists } from './published-lists.ts';

/** What is fetched by schedule, and what a list is held against. */
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
  readonly trust: HeldTrust;
  readonly legacyAlgorithms: LegacyPolicy;
  readonly log: Pick<Logger, 'warn'>;
}

/** Fetches what States publish, keeps what is signed and newer, and says how much that was. */
export function createTrustListActivities(deps: TrustListDeps): TrustListActivities {
  return { refreshTrustLists: () => refresh(deps) };
}

/** Throws `MalformedDer` or `trust_list_invalid` for bytes that must not count. */
type Judge = (bytes: Uint8Array) => Promise<Date | null> | Date | null;

interface Source {
  readonly url: string;
  readonly sizeBytesMax: number;
  /** Gives when the list was signed. */
  readonly signedAt: Judge;
}

/**
 * Every source is tried before one that is away fails the attempt, so that trying again finds the
 * others unchanged. A list that is not signed as it should be, or is older than the one at hand, is
 * logged and left: it will be no better in a minute.
 */
async function refresh(deps: TrustListDeps): Promise<RefreshedLists> {
  const counts = { taken: 0, unchanged: 0, refused: 0 };
  let isAway = false;
  for (const source of sourcesOf(deps)) {
    try {
      counts[await take(source, deps)] += 1;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'dependency_unavailable') throw error;
      deps.log.warn({ url: source.url }, 'a published list is not to be had');
      isAway = true;
    }
  }
  if (isAway) throw providerDown('published lists', undefined);
  return counts;
}

function sourcesOf({ sources, trust, legacyAlgorithms }: TrustListDeps): Source[] {
  const { masterList, crlUrls } = sources;
  const ofCrl = async (bytes: Uint8Array): Promise<Date> => {
    const crl = readCrl(bytes);
    const { published, linked, development } = await trust.current();
    const store = joinCscaStores([published, linked, development]);
    if (!isTrusted(crl, store, legacyAlgorithms)) {
      throw new MalformedDer('no CSCA that is trusted signed it');
    }
    return crl.thisUpdate;
  };
  const list = masterList && {
    url: masterList.url,
    sizeBytesMax: masterListBytesMax,
    signedAt: (bytes: Uint8Array) => parseMasterList(bytes, masterList.rootDer).signedAt,
  };
  const crls = crlUrls.map((url) => ({ url, sizeBytesMax: crlBytesMax, signedAt: ofCrl }));
  return [...(list ? [list] : []), ...crls];
}

async function take(source: Source, deps: TrustListDeps): Promise<keyof RefreshedLists> {
  const { url, sizeBytesMax, signedAt } = source;
  const bytes = await fetchList(url, sizeBytesMax);
  const before = await deps.lists.of(url);
  if (before && Buffer.compare(before, bytes) === 0) return 'unchanged';
  const fault = await faultOf(async () => {
    const at = await signedAt(bytes);
    const heldAt = before && (await orNull(() => signedAt(before)));
    return heldAt && (!at || at < heldAt) ? 'older than the one at hand' : null;
  });
  if (fault) {
    deps.log.warn({ url, fault }, 'a published list is refused');
    return 'refused';
  }
  await deps.lists.keep(url, bytes);
  // CRLs come after the list of those who may have signed them.
  if (url === deps.sources.masterList?.url) await deps.trust.renew();
  return 'taken';
}

async function faultOf(judge: () => Promise<string | null>): Promise<string | null> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof MalformedDer) return error.message;
    if (error instanceof Failure && error.code === 'trust_list_invalid') return error.message;
    throw error;
  }
}

/** What is at hand may have been trusted by another root: it then holds nothing back. */
async function orNull(judge: () => ReturnType<Judge>): Promise<Date | null> {
  let at: Date | null = null;
  const fault = await faultOf(async () => {
    at = await judge();
    return null;
  });
  return fault ? null : at;
}
