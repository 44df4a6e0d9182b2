import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { LegacyPolicy } from './algorithms.ts';
import type { Certificate } from './certificate.ts';
import { isOfSameIssuer, isTrusted, readCrl, type Crl } from './crl.ts';
import { MalformedDer } from './der.ts';
import type { CscaStore } from './master-list.ts';
import type { PublishedLists } from './published-lists.ts';

/** The revocation lists of many States. */
export interface CountryCrls {
  /** Those that can speak of this certificate: of each key that signs such, its newest list. */
  listsFor(certificate: Certificate): Promise<readonly Crl[]>;
}

export interface CountryCrlsOptions {
  /** Holds files `*.crl`, `*.der` or `*.pem`; one in PEM may hold several lists. */
  readonly directory?: string | undefined;
  /** Addresses whose lists are fetched by schedule, and where those lie. */
  readonly fetched?: { readonly urls: readonly string[]; readonly lists: PublishedLists };
  /** Who may have signed them, and whether with SHA-1. */
  readonly cscaStore: () => Promise<CscaStore>;
  readonly legacy: LegacyPolicy;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** A list that was put into the directory counts from here on at the latest. */
export const rereadMs = 10 * 60_000;
const fileForm = /^[^.].*\.(crl|der|pem)$/i;
/** The lists of States are small; one goes into the evidence file of every passport it is for. */
const fileBytesMax = 2 * 1024 * 1024;
const filesMax = 2_000;
const pemForm = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----/g;

/**
 * Opens a directory of CRLs (ICAO 9303-12, CRL profile), whoever fetches them. It is read now, and
 * again when it is needed and what is held is ten minutes old; should that fail, what is held goes
 * on counting until its lists run out. A list that cannot be read, or that no trusted CSCA signed,
 * is left out and logged: one State's fault must not cost us the others.
 * Throws the file system's error when the directory cannot be read at first.
 */
export async function openCountryCrls(options: CountryCrlsOptions): Promise<CountryCrls> {
  const { clock, log } = options;
  let held = await readAll(options);
  let readAtMs = clock().getTime();
  let running: Promise<void> | null = null;
  const reread = async (): Promise<void> => {
    try {
      held = await readAll(options);
    } catch (err) {
      log.warn({ err }, 'the directory of CRLs cannot be read; the lists at hand count on');
    }
    readAtMs = clock().getTime();
  };
  return {
    async listsFor(certificate) {
      if (clock().getTime() - readAtMs >= rereadMs) {
        await (running ??= reread().finally(() => (running = null)));
      }
      return held.filter((crl) => isOfSameIssuer(certificate, crl));
    },
  };
}

async function readAll(options: CountryCrlsOptions): Promise<Crl[]> {
  const { directory, fetched, cscaStore, log } = options;
  const store = await cscaStore();
  const newest = new Map<string, Crl>();
  const sources = [...(await filesOf(directory, log)), ...copiesOf(fetched)];
  for (const { name, read } of sources) {
    const lists = await readLists(read, (crl) => isTrusted(crl, store, options.legacy));
    if (typeof lists === 'string') {
      log.warn({ file: name, fault: lists }, 'a CRL is left out');
      continue;
    }
    for (const crl of lists) {
      const key = `${crl.issuer.key} ${crl.authorityKeyId ?? ''}`;
      const other = newest.get(key);
      if (!other || other.thisUpdate < crl.thisUpdate) newest.set(key, crl);
    }
  }
  return [...newest.values()];
}

/** A file or a copy; null stands for one that is too large, nothing for one not fetched yet. */
interface Source {
  readonly name: string;
  readonly read: () => Promise<Buffer | null | undefined>;
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

const copiesOf = (fetched: CountryCrlsOptions['fetched']): Source[] =>
  fetched?.urls.map((name) => ({
    name,
    read: async () => {
      const copy = await fetched.lists.of(name);
      if (!copy) return undefined;
      return copy.length > fileBytesMax ? null : Buffer.from(copy);
    },
  })) ?? [];

/** The lists of one file, all of them trusted; or what is wrong with it. */
async function readLists(
  read: Source['read'],
  isSigned: (crl: Crl) => boolean,
): Promise<Crl[] | string> {
  try {
    const content = await read();
    if (content === undefined) return [];
    if (!content) return 'larger than 2 MiB';
    const lists = partsOf(content).map((der) => readCrl(der));
    if (lists.length === 0) return 'no CRL in DER or PEM';
    return lists.every(isSigned) ? lists : 'not signed by a CSCA we trust';
  } catch (error) {
    if (error instanceof MalformedDer) return `malformed: ${error.message}`;
    return error instanceof Error && 'code' in error ? String(error.code) : 'not readable';
  }
}

/** A SEQUENCE is DER; all else is read as PEM (RFC 7468 §3). */
function partsOf(content: Buffer): Buffer[] {
  if (content[0] === 0x30) return [content];
  const blocks = content.toString('latin1').matchAll(pemForm);
  return Array.from(blocks, ([, body = '']) => Buffer.from(body, 'base64'));
}

async function readBounded(path: string): Promise<Buffer | null> {
  const file = await open(path, 'r');
  try {
    return (await file.stat()).size > fileBytesMax ? null : await file.readFile();
  } finally {
    await file.close();
  }
}
