import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { z } from 'zod';
import {
  createCscaStore,
  joinCscaStores,
  parseMasterList,
} from '../../../domain/proofs/passport/signer/master-list.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { PublishedLists } from '../../vendors/published-lists.ts';
import type { TrustListSources } from './activities.ts';
import { openCountryCrls, type CountryCrls } from './country-crls.ts';
import { openPassportTrustCache, type PassportTrustCache } from './passport-trust-cache.ts';
import type { passportTrustConfig } from './trust-config.ts';

type Config = z.output<typeof passportTrustConfig>;

export interface PassportTrustDeps {
  /** Lists that the schedule fetched. */
  readonly lists: PublishedLists;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Opens the country signing certificates for passports: the signed master list, from a file or as
 * last fetched, the certificates that link certificates add, and in development the simulator's
 * State.
 * @throws Error with one line that names the wrong setting, or the Failure of the store with the
 * fetched list
 */
export async function openPassportTrust(
  config: Pick<Config, ListSettings>,
  devCscaPem: string | null,
  deps: PassportTrustDeps,
): Promise<PassportTrustCache> {
  const rootDer = masterListRootOf(config);
  const { CSCA_MASTER_LIST: path, CSCA_MASTER_LIST_URL: url, CSCA_LINKS: links } = config;
  const simulated = devCscaPem ? [new X509Certificate(devCscaPem).raw] : [];
  const options = {
    ...deps,
    installed: path && rootDer ? parseMasterList(readFileSync(path), rootDer) : null,
    fetched: url && rootDer ? { url, rootDer } : null,
    linksDirectory: links ?? null,
    development: createCscaStore(simulated),
  };
  try {
    return await openPassportTrustCache(options);
  } catch (cause) {
    if (links === undefined || cause instanceof Failure) throw cause;
    throw new Error('CSCA_LINKS: not a directory that can be read', { cause });
  }
}

type ListSettings =
  | 'CSCA_MASTER_LIST'
  | 'CSCA_MASTER_LIST_ROOT'
  | 'CSCA_MASTER_LIST_URL'
  | 'CSCA_LINKS';

function masterListRootOf(config: Pick<Config, ListSettings>): Uint8Array | null {
  const { CSCA_MASTER_LIST: path, CSCA_MASTER_LIST_URL: url, CSCA_MASTER_LIST_ROOT: root } = config;
  if ((path === undefined && url === undefined) !== (root === undefined)) {
    throw new Error(
      'CSCA_MASTER_LIST_ROOT: goes with CSCA_MASTER_LIST or CSCA_MASTER_LIST_URL, and they with it',
    );
  }
  return root === undefined ? null : new X509Certificate(readFileSync(root)).raw;
}

/** Returns the lists that the schedule fetches. Throws like `openPassportTrust`. */
export function trustListSources(
  config: Pick<Config, ListSettings | 'CSCA_CRL_URLS'>,
): TrustListSources {
  const { CSCA_MASTER_LIST_URL: url, CSCA_CRL_URLS: crlUrls = [] } = config;
  const rootDer = masterListRootOf(config);
  return { masterList: url && rootDer ? { url, rootDer } : null, crlUrls };
}

type CrlSettings =
  | 'CSCA_CRLS'
  | 'CSCA_CRL_URLS'
  | 'CSCA_CRLS_REQUIRED'
  | 'PASSPORT_LEGACY_ALGORITHMS';

/**
 * Opens the CRLs for document signers, from a directory and from fetched lists; null when neither
 * is set.
 * @throws Error with one line that names the wrong setting
 */
export async function loadCountryCrls(
  config: Pick<Config, CrlSettings>,
  trust: PassportTrustCache,
  { lists, clock, log }: PassportTrustDeps,
): Promise<{ readonly crls: CountryCrls | null; readonly isCrlRequired: boolean }> {
  const { CSCA_CRLS: directory, CSCA_CRL_URLS: urls = [], CSCA_CRLS_REQUIRED } = config;
  const isCrlRequired = CSCA_CRLS_REQUIRED === 'yes';
  if (directory === undefined && urls.length === 0) {
    if (isCrlRequired) throw new Error('CSCA_CRLS_REQUIRED: needs CSCA_CRLS or CSCA_CRL_URLS');
    return { crls: null, isCrlRequired };
  }
  const cscaStore = async () => {
    const { published, linked, development } = await trust.current();
    return joinCscaStores([published, linked, development]);
  };
  const fetched = { urls, lists };
  const legacy = config.PASSPORT_LEGACY_ALGORITHMS;
  try {
    const crls = await openCountryCrls({ directory, fetched, cscaStore, legacy, clock, log });
    return { crls, isCrlRequired };
  } catch (cause) {
    throw new Error('CSCA_CRLS: not a directory that can be read', { cause });
  }
}
