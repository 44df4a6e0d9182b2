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
  readonly trust: PassportTrustCache;
  readonly legacyAlgorithms: LegacyPolicy;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** Fetches what States publish, keeps what is signed and newer, and says how much that was. */
export function createTrustListActivities(deps: TrustListDeps): TrustListActivities {
  return { refreshTrustLists: () => refresh(deps) };
}

interface Source {
  readonly url: string;
  readonly sizeBytesMax: number;
  /**
   * Gives what to keep of what was fetched and the copy at hand; null when that holds it already.
   * Throws `MalformedDer` or `trust_list_invalid` for bytes that must not count.
   */
  readonly joined: (bytes: Uint8Array, before: Uint8Array | null) => Promise<Uint8Array | null>;
}

/** The lists of all who publish at one address. */
const copyBytesMax = 4 * crlBytesMax;
const older = 'older than the one at hand';

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
 * A copy holds one list of each key that signed one there: another State's, served at this address,
 * takes no list away, and after a rollover both keys' count.
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
  // CRLs come after the list of those who may have signed them.
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

/** What is at hand may have been trusted by another root: it then holds nothing back. */
async function orNull<T>(read: () => T): Promise<T | null> {
  let found: T | null = null;
  const fault = await faultOf(() => {
    found = read();
  });
  return fault === null ? found : null;
}
