import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { MalformedDer } from '../../../domain/pki/read-der.ts';
import {
  crlBytesMax,
  isOfSameIssuer,
  issuerKeyOf,
  listsOf,
  readCrl,
  type Crl,
} from '../../../domain/pki/revocation/crl.ts';
import type { LegacyPolicy } from '../../../domain/pki/x509/algorithms.ts';
import type { CountryCertificate } from '../../../domain/proofs/passport/signer/certificate.ts';
import type { CscaStore } from '../../../domain/proofs/passport/signer/master-list.ts';
import { isTrusted } from '../../../domain/proofs/passport/signer/revocation.ts';
import { singleFlight } from '../../runtime/single-flight.ts';
import type { PublishedLists } from '../../vendors/published-lists.ts';

/** The CRLs of many States. */
export interface CountryCrls {
  /** Returns the CRLs that can cover this certificate: the newest CRL of each key of its issuer. */
  listsFor(certificate: CountryCertificate): Promise<readonly Crl[]>;
}

export interface CountryCrlsOptions {
  /** Directory with files `*.crl`, `*.der` or `*.pem`. A PEM file may hold several CRLs. */
  readonly directory?: string | undefined;
  /** Addresses that the schedule fetches, and the store of their lists. */
  readonly fetched?: { readonly urls: readonly string[]; readonly lists: PublishedLists };
  /** The certificates that may sign CRLs; `legacy` is whether they may use SHA-1. */
  readonly cscaStore: () => Promise<CscaStore>;
  readonly legacy: LegacyPolicy;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** A CRL that is added to the directory takes effect within this time. */
export const rereadMs = 10 * 60_000;
/** Wait before a failed read is retried. */
export const retryMs = 5_000;
const fileForm = /^[^.].*\.(crl|der|pem)$/i;
const filesMax = 2_000;
const pemForm = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----/g;

/**
 * Opens a directory of CRLs (ICAO 9303-12, CRL profile). It is read now, and again when a use finds
 * it ten minutes old. If that fails, the loaded CRLs stay in use until they expire. An unreadable
 * CRL, or one without a trusted CSCA's signature, is skipped and logged: a fault of one State must
 * not affect the others. If a fetched copy is unavailable, its last CRLs stay in use and it is
 * retried in seconds.
 * @throws the file system's error when the directory cannot be read at first
 */
export async function openCountryCrls(options: CountryCrlsOptions): Promise<CountryCrls> {
  const { clock, log } = options;
  const last: LastLists = new Map();
  let held: readonly Crl[] = [];
  let readAtMs = 0;
  const read = async (): Promise<void> => {
    const { lists, isWhole } = await readAll(options, last);
    held = lists;
    readAtMs = clock().getTime() - (isWhole ? 0 : rereadMs - retryMs);
  };
  await read();
  const reread = singleFlight(async () => {
    try {
      await read();
    } catch (err) {
      log.warn({ err }, 'the directory of CRLs cannot be read; the lists at hand count on');
      readAtMs = clock().getTime() - rereadMs + retryMs;
    }
  });
  return {
    async listsFor(certificate) {
      if (clock().getTime() - readAtMs >= rereadMs) {
        await reread();
      }
      return held.filter((crl) => isOfSameIssuer(certificate, crl));
    },
  };
}

/** The last CRLs of each address. */
type LastLists = Map<string, readonly Crl[]>;

async function readAll(
  options: CountryCrlsOptions,
  last: LastLists,
): Promise<{ lists: Crl[]; isWhole: boolean }> {
  const { directory, fetched, cscaStore, log } = options;
  const store = await cscaStore();
  const now = options.clock();
  const newest = new Map<string, Crl>();
  const isSigned = (crl: Crl): boolean => isTrusted(crl, store, options.legacy);
  const take = (name: string, lists: readonly Crl[] | string): void => {
    if (typeof lists === 'string') log.warn({ file: name, fault: lists }, 'a CRL is left out');
    else for (const crl of lists) keepNewest(newest, crl, now);
  };
  for (const { name, read } of await filesOf(directory, log)) {
    take(name, await readLists(read, isSigned));
  }
  let isWhole = true;
  for (const url of fetched?.urls ?? []) {
    const copy = await fetched?.lists.of(url).catch(() => undefined);
    if (copy === undefined) {
      log.warn({ file: url }, 'a fetched CRL cannot be had; what it last held counts on');
      isWhole = false;
    }
    const lists = copy === undefined ? (last.get(url) ?? []) : listsIn(copy);
    if (typeof lists !== 'string') last.set(url, lists);
    take(url, typeof lists === 'string' ? lists : signedOf(lists, isSigned));
  }
  return { lists: [...newest.values()], isWhole };
}

function keepNewest(newest: Map<string, Crl>, crl: Crl, at: Date): void {
  const key = issuerKeyOf(crl, at);
  const other = newest.get(key);
  if (!other || other.thisUpdate < crl.thisUpdate) newest.set(key, crl);
}

/** Keeps the trusted CRLs of an address, although another one there is not trusted any more. */
function signedOf(lists: readonly Crl[], isSigned: (crl: Crl) => boolean): Crl[] | string {
  const signed = lists.filter(isSigned);
  return signed.length > 0 || lists.length === 0 ? signed : notSigned;
}

/** Null means that no copy was fetched yet. */
function listsIn(copy: Uint8Array | null): Crl[] | string {
  try {
    return copy ? listsOf(copy) : [];
  } catch (error) {
    return faultOf(error);
  }
}

/** A file; `read` returns null if it is too large. */
interface Source {
  readonly name: string;
  readonly read: () => Promise<Buffer | null>;
}

async function filesOf(
  directory: string | undefined,
  log: CountryCrlsOptions['log'],
): Promise<Source[]> {
  if (directory === undefined) return [];
  const names = (await readdir(directory)).filter((name) => fileForm.test(name)).sort();
  if (names.length > filesMax) {
    log.warn({ files: names.length }, 'more than 2,000 files of CRLs: the rest is left out');
  }
  return names
    .slice(0, filesMax)
    .map((name) => ({ name, read: () => readBounded(join(directory, name)) }));
}

const notSigned = 'not signed by a CSCA we trust';

/** Returns the CRLs of one file, all of them trusted; or the fault of the file as text. */
async function readLists(
  read: Source['read'],
  isSigned: (crl: Crl) => boolean,
): Promise<Crl[] | string> {
  try {
    const content = await read();
    if (!content) return 'larger than 2 MiB';
    const lists = partsOf(content).map((der) => readCrl(der));
    if (lists.length === 0) return 'no CRL in DER or PEM';
    return lists.every(isSigned) ? lists : notSigned;
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): string {
  if (error instanceof MalformedDer) return `malformed: ${error.message}`;
  return error instanceof Error && 'code' in error ? String(error.code) : 'not readable';
}

/** A file that starts with a SEQUENCE is DER; others are PEM (RFC 7468 §3). */
function partsOf(content: Buffer): Buffer[] {
  if (content[0] === 0x30) return [content];
  const blocks = content.toString('latin1').matchAll(pemForm);
  return Array.from(blocks, ([, body = '']) => Buffer.from(body, 'base64'));
}

async function readBounded(path: string): Promise<Buffer | null> {
  const file = await open(path, 'r');
  try {
    return (await file.stat()).size > crlBytesMax ? null : await file.readFile();
  } finally {
    await file.close();
  }
}
