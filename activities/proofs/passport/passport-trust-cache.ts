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

/** The States whose passports are taken. */
export interface PassportTrust {
  /** Those of the signed master list. */
  readonly published: CscaStore;
  /** What those have introduced by link certificates. */
  readonly linked: LinkedStore;
  /** The simulator's own, told apart in whatever is judged by it. */
  readonly development: CscaStore;
}

export interface PassportTrustCache {
  /** As it is now: read again when it is ten minutes old. */
  current(): Promise<PassportTrust>;
  /** Reads it again now, for who has just changed it. */
  renew(): Promise<void>;
}

export interface PassportTrustCacheOptions {
  /** The list that lies here, read at the start. */
  readonly installed: MasterList | null;
  /** Where a list is fetched from, and its root: the later of the two counts. */
  readonly fetched: { readonly url: string; readonly rootDer: Uint8Array } | null;
  readonly lists: PublishedLists;
  /** Holds certificates `*.cer`, `*.crt`, `*.der` or `*.pem`, one a file. */
  readonly linksDirectory: string | null;
  readonly development: CscaStore;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

const fileForm = /^[^.].*\.(cer|crt|der|pem)$/i;

/**
 * Holds what passports are judged by and reads it again as time goes by, since another process may
 * have fetched a newer list. Should that fail, what is held goes on counting, and it is tried again
 * in seconds. Throws when the directory of link certificates, or where the fetched list lies,
 * cannot be read at first: without its States a worker would refuse honest passports for good.
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

/** Parses a list again only when its bytes are others. */
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

/** Of two lists the one signed later; one that does not say when is taken for old. */
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
