import { createHash, X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import {
  linksMax,
  linkedStore,
  type LinkedStore,
} from '../../../domain/proofs/passport/signer/links.ts';
import {
  createCscaStore,
  parseMasterList,
  type CscaStore,
  type MasterList,
} from '../../../domain/proofs/passport/signer/master-list.ts';
import { Failure } from '../../../workflows/failures.ts';
import { singleFlight } from '../../runtime/single-flight.ts';
import type { PublishedLists } from '../../vendors/published-lists.ts';
import { rereadMs, retryMs } from './country-crls.ts';

/** The country signing certificates of accepted States. */
export interface PassportTrust {
  /** Certificates of the signed master list. */
  readonly published: CscaStore;
  /** Certificates that link certificates of those introduce. */
  readonly linked: LinkedStore;
  /** The simulator's certificates. Verdicts that use them are marked. */
  readonly development: CscaStore;
}

export interface PassportTrustCache {
  /** Returns the current certificates, and rereads them when they are ten minutes old. */
  current(): Promise<PassportTrust>;
  /** Rereads the certificates now, after the caller changed them. */
  renew(): Promise<void>;
}

export interface PassportTrustCacheOptions {
  /** Master list from a file, read at startup. */
  readonly installed: MasterList | null;
  /** Address and root of the fetched master list. The list signed later is used. */
  readonly fetched: { readonly url: string; readonly rootDer: Uint8Array } | null;
  readonly lists: PublishedLists;
  /** Directory with certificates `*.cer`, `*.crt`, `*.der` or `*.pem`, one per file. */
  readonly linksDirectory: string | null;
  readonly development: CscaStore;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

const fileForm = /^[^.].*\.(cer|crt|der|pem)$/i;

/**
 * Caches the certificates for passports, and rereads them at intervals, because another process may
 * have fetched a newer list. If that fails, the cached ones stay in use, and it is retried in
 * seconds.
 * @throws when the directory of link certificates, or the store of the fetched list, cannot be read
 * at first: without its States a worker would reject honest passports permanently
 */
export async function openPassportTrustCache(
  options: PassportTrustCacheOptions,
): Promise<PassportTrustCache> {
  const { clock, log } = options;
  const read = createReader(options);
  let held = await read();
  let readAtMs = clock().getTime();
  const renew = singleFlight(async () => {
    try {
      held = await read();
      readAtMs = clock().getTime();
    } catch (err) {
      log.warn({ err }, 'the country certificates cannot be read anew; those at hand count on');
      readAtMs = clock().getTime() - rereadMs + retryMs;
    }
  });
  return {
    renew,
    async current() {
      if (clock().getTime() - readAtMs >= rereadMs) await renew();
      return held;
    },
  };
}

/** Returns a reader that parses the list again only when its bytes have changed. */
function createReader(options: PassportTrustCacheOptions): () => Promise<PassportTrust> {
  const { installed, fetched, lists, development, log } = options;
  let last: { digest: string; list: MasterList } | null = null;
  const fetchedList = async (): Promise<MasterList | null> => {
    const bytes = fetched && (await lists.of(fetched.url));
    if (!bytes || !fetched) return null;
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (last?.digest !== digest) {
      last = { digest, list: parseMasterList(bytes, fetched.rootDer) };
    }
    return last.list;
  };
  return async () => {
    const newer = await fetchedList().catch((err: unknown) => {
      if (!(err instanceof Failure) || err.code !== 'trust_list_invalid') throw err;
      log.warn({ err }, 'the fetched master list cannot be used');
      return null;
    });
    const published = laterOf(installed, newer) ?? createCscaStore([]);
    const linked = linkedStore(published, await readLinks(options));
    return { published, linked, development };
  };
}

/** Returns the list that was signed later. A list without a date counts as older. */
export function laterOf(one: MasterList | null, other: MasterList | null): MasterList | null {
  if (!one || !other) return one ?? other;
  return (other.signedAt?.getTime() ?? 0) > (one.signedAt?.getTime() ?? 0) ? other : one;
}

async function readLinks({
  linksDirectory,
  log,
}: PassportTrustCacheOptions): Promise<Uint8Array[]> {
  if (linksDirectory === null) return [];
  const names = (await readdir(linksDirectory)).filter((name) => fileForm.test(name)).sort();
  if (names.length > linksMax) log.warn({ files: names.length }, 'more than 2,000 certificates');
  const found: Uint8Array[] = [];
  for (const name of names.slice(0, linksMax)) {
    try {
      found.push(new X509Certificate(await readFile(join(linksDirectory, name))).raw);
    } catch {
      log.warn({ file: name }, 'a link certificate cannot be read');
    }
  }
  return found;
}
