import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  access,
  constants,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../../workflows/failures.ts';
import {
  checkKey,
  checkMediaType,
  checkPresign,
  type NewObject,
  type ObjectStore,
  type PresignOptions,
} from './object-store.ts';

export interface DiskOptions {
  readonly directory: string;
  readonly baseUrl: string;
  /** Returns the 32 bytes that sign the next URL. */
  readonly secret: () => Uint8Array;
  readonly clock: () => Date;
  /** The disk counts as full when fewer bytes than this are free. */
  readonly freeBytesMin?: number;
}

/** Folder of files being written. No key names it: segments never begin with a dot. */
const asideName = '.aside';
const linkAttemptsMax = 5;
/** Room for a few of the largest uploads. A full disk may still accept small files. */
const freeBytesMinUsual = 64 * 1024 * 1024;
/** Shortest time between two test writes, however often the health is requested. */
const triedMsMax = 2_000;

/**
 * Creates a store of files below an existing directory. A file is written aside, flushed, and then
 * linked or renamed into place, so that readers never see a partial file. With `ifAbsent`, one of
 * many writers wins, even over processes. `removeLeftovers` removes the files of killed writers.
 */
export function createDiskStore(options: DiskOptions): ObjectStore {
  const directory = resolve(options.directory);
  const pathOf = (key: string): string => {
    checkKey(key);
    return join(directory, key);
  };
  const tryWrite = remembered(
    () => writeAndForget(directory, options.freeBytesMin ?? freeBytesMinUsual),
    triedMsMax,
    options.clock,
  );
  return {
    async put(object) {
      const path = pathOf(object.key);
      checkMediaType(object.contentType);
      return withStorageErrors(put(directory, path, object));
    },
    async get(key) {
      const path = pathOf(key);
      return withStorageErrors(find(directory, path));
    },
    async remove(key) {
      const path = pathOf(key);
      await withStorageErrors(removeIfThere(directory, path));
    },
    async erase(key) {
      const path = pathOf(key);
      await withStorageErrors(eraseAll(directory, path));
    },
    async presign(key, presignOptions) {
      checkKey(key);
      checkPresign(presignOptions);
      return signedUrl(options, key, presignOptions);
    },
    async health() {
      await withStorageErrors(access(directory, constants.R_OK | constants.W_OK | constants.X_OK));
      await withStorageErrors(tryWrite());
    },
  };
}

/** Removes files that writers left unfinished before `olderThan`. */
export async function removeLeftovers(directory: string, olderThan: Date): Promise<void> {
  const aside = join(directory, asideName);
  const names = await readdir(aside).catch(ignore('ENOENT'));
  for (const name of names ?? []) {
    const found = await stat(join(aside, name)).catch(ignore('ENOENT'));
    if (found && found.mtime < olderThan) await rm(join(aside, name), { force: true });
  }
}

async function put(
  directory: string,
  path: string,
  { body, ifAbsent }: NewObject,
): Promise<{ sha256: string; stored: boolean }> {
  const sha256 = createHash('sha256').update(body).digest('hex');
  const aside = await writeAside(directory, body);
  try {
    await makeDirectories(directory, dirname(path));
    const stored = ifAbsent ? await linkOnce(aside, path, body) : await replace(aside, path);
    // Also if another writer was first: it may die before it flushes the directory.
    await flushDirectory(dirname(path));
    return { sha256, stored };
  } finally {
    await rm(aside, { force: true });
  }
}

async function writeAside(directory: string, body: Uint8Array): Promise<string> {
  // The directory itself is not created: if it is missing, its objects are lost, too.
  await mkdir(join(directory, asideName), { mode: 0o700 }).catch(ignore('EEXIST'));
  const aside = join(directory, asideName, randomBytes(16).toString('hex'));
  const file = await open(aside, 'wx', 0o600);
  try {
    await file.writeFile(body);
    await file.sync();
  } catch (error) {
    // A partial file would keep a full disk full.
    await rm(aside, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return aside;
}

/** Throws unless there is space, and a small file can be written, flushed and removed. */
async function writeAndForget(directory: string, freeBytesMin: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(directory);
  // Some file systems report no sizes. The test write still works there.
  if (blocks > 0 && bavail * bsize < freeBytesMin) throw new Error('the disk is full');
  await rm(await writeAside(directory, Buffer.from('room')), { force: true });
}

/** Creates directories. A file in place of a directory is an object that conflicts. */
async function makeDirectories(root: string, path: string): Promise<void> {
  let firstMade: string | undefined;
  try {
    firstMade = await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!isCode(error, 'EEXIST', 'ENOTDIR')) throw error;
    throw new Failure('object_conflict', { cause: error });
  }
  if (firstMade === undefined) return;
  for (let made = path; made.length > root.length; made = dirname(made)) {
    await flushDirectory(dirname(made));
  }
}

async function replace(aside: string, path: string): Promise<true> {
  try {
    await rename(aside, path);
    return true;
  } catch (error) {
    if (!isCode(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST')) throw error;
    throw new Failure('object_conflict', { cause: error });
  }
}

/** Returns true if this call stored the file, false if the same bytes were there already. */
async function linkOnce(aside: string, path: string, body: Uint8Array): Promise<boolean> {
  for (let attempt = 1; attempt <= linkAttemptsMax; attempt += 1) {
    const linked = await link(aside, path).then(() => true, ignore('EEXIST'));
    if (linked) return true;
    if ((await stat(path).catch(ignore('ENOENT')))?.isDirectory()) break;
    const there = await readIfThere(path);
    if (there?.equals(body)) return false;
    if (there) break;
    // The file was removed between the two calls, so the name is free again.
  }
  throw new Failure('object_conflict');
}

/** Returns null if there is no object. Throws if the whole directory is missing. */
async function find(directory: string, path: string): Promise<Buffer | null> {
  const found = await readIfThere(path);
  if (!found) await access(directory);
  return found;
}

async function removeIfThere(directory: string, path: string): Promise<void> {
  await rm(path, { force: true }).catch(ignore('ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR'));
  await access(directory);
}

async function eraseAll(directory: string, path: string): Promise<void> {
  await rm(path, { force: true, recursive: true }).catch(ignore('ENOTDIR'));
  // Without a flush, a power cut may bring a file back after its removal was recorded.
  await flushDirectory(dirname(path)).catch(ignore('ENOENT', 'ENOTDIR'));
  await access(directory);
}

async function readIfThere(path: string): Promise<Buffer | null> {
  return (await readFile(path).catch(ignore('ENOENT', 'ENOTDIR', 'EISDIR'))) ?? null;
}

/** Caches the result of a check, also a fault, for `forMs`. Concurrent callers share one check. */
function remembered(
  ask: () => Promise<void>,
  forMs: number,
  clock: () => Date,
): () => Promise<void> {
  let asked: { readonly answer: Promise<void>; at: number | null } | null = null;
  const put = (): Promise<void> => {
    const question = { answer: ask(), at: null as number | null };
    const note = (): void => void (question.at = clock().getTime());
    question.answer.then(note, note);
    asked = question;
    return question.answer;
  };
  return () => {
    if (!asked) return put();
    const isOld = asked.at !== null && Math.abs(clock().getTime() - asked.at) >= forMs;
    return isOld ? put() : asked.answer;
  };
}

async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Maps faults of the disk to `dependency_unavailable`. */
async function withStorageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('dependency_unavailable', { cause, retryAfterSeconds: 2 });
  }
}

interface SignedParts {
  readonly expires: string;
  readonly filename: string;
  readonly type: string;
}

function signedUrl(
  { baseUrl, secret, clock }: DiskOptions,
  key: string,
  { ttlSeconds, filename = '', contentType = '' }: PresignOptions,
): string {
  const expires = String(Math.floor(clock().getTime() / 1000) + ttlSeconds);
  const parts = { expires, filename, type: contentType };
  const query = new URLSearchParams({ ...parts, signature: signatureOf(secret(), key, parts) });
  return `${baseUrl}/objects/${key}?${query.toString()}`;
}

function signatureOf(secret: Uint8Array, key: string, parts: SignedParts): string {
  const signed = JSON.stringify(['GET', key, parts.expires, parts.filename, parts.type]);
  return createHmac('sha256', secret).update(signed).digest('base64url');
}

/**
 * Whether a URL was signed by us, is unchanged and has not expired. Takes constant time.
 * @param secrets accepted secrets
 * @param parts the query of the URL, unchanged
 */
export function isDiskUrlGood(
  secrets: readonly Uint8Array[],
  key: string,
  parts: SignedParts & { readonly signature: string },
  now: Date,
): boolean {
  const given = Buffer.from(parts.signature);
  const isSame = secrets.some((secret) => {
    const expected = Buffer.from(signatureOf(secret, key, parts));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSame && /^\d{1,12}$/.test(parts.expires) && Number(parts.expires) * 1000 > now.getTime();
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Turns errors with these codes into undefined, and throws all others. */
function ignore(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!isCode(error, ...codes)) throw error;
  };
}
