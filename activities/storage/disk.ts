import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../workflows/failures.ts';
import { checkKey, checkPresign, type ObjectStore } from './object-store.ts';

export interface DiskOptions {
  readonly directory: string;
  readonly baseUrl: string;
  /** Signs the addresses; 32 bytes. */
  readonly secret: Uint8Array;
  readonly clock: () => Date;
}

/**
 * Files below a directory. A file is written aside, flushed, and then linked or renamed into place:
 * it is there whole or not at all, and of two writers with `ifAbsent` one wins.
 */
export function createDiskStore(options: DiskOptions): ObjectStore {
  const pathOf = (key: string): string => {
    checkKey(key);
    return join(options.directory, key);
  };
  return {
    async put({ key, body, ifAbsent }) {
      const path = pathOf(key);
      const sha256 = createHash('sha256').update(body).digest('hex');
      const aside = await writeAside(path, body);
      try {
        if (!ifAbsent) {
          await rename(aside, path);
          return { sha256, stored: true };
        }
        await link(aside, path);
        return { sha256, stored: true };
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
        if (!Buffer.from(body).equals(await readFile(path))) throw new Failure('object_conflict');
        return { sha256, stored: false };
      } finally {
        await rm(aside, { force: true });
      }
    },
    async get(key) {
      try {
        return await readFile(pathOf(key));
      } catch (error) {
        if (isCode(error, 'ENOENT') || isCode(error, 'EISDIR')) return null;
        throw error;
      }
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async presign(key, presignOptions) {
      checkKey(key);
      checkPresign(presignOptions);
      return signedUrl(options, key, presignOptions);
    },
    async health() {
      await mkdir(options.directory, { recursive: true });
      await stat(options.directory);
    },
  };
}

async function writeAside(path: string, body: Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${randomBytes(8).toString('hex')}.part`;
  const file = await open(aside, 'wx', 0o600);
  try {
    await file.writeFile(body);
    await file.sync();
  } finally {
    await file.close();
  }
  return aside;
}

interface SignedParts {
  readonly expires: string;
  readonly filename: string;
  readonly type: string;
}

function signedUrl(
  options: DiskOptions,
  key: string,
  {
    ttlSeconds,
    filename = '',
    contentType = '',
  }: { ttlSeconds: number; filename?: string; contentType?: string },
): string {
  const expires = String(Math.floor(options.clock().getTime() / 1000) + ttlSeconds);
  const parts = { expires, filename, type: contentType };
  const signature = signatureOf(options.secret, key, parts).toString('base64url');
  const query = new URLSearchParams({ ...parts, signature });
  return `${options.baseUrl}/objects/${key}?${query.toString()}`;
}

function signatureOf(secret: Uint8Array, key: string, parts: SignedParts): Buffer {
  const signed = JSON.stringify(['GET', key, parts.expires, parts.filename, parts.type]);
  return createHmac('sha256', secret).update(signed).digest();
}

/** Whether an address is one of ours, unchanged and not yet run out. Constant time. */
export function isDiskUrlGood(
  secret: Uint8Array,
  key: string,
  parts: SignedParts & { readonly signature: string },
  now: Date,
): boolean {
  const expected = signatureOf(secret, key, parts);
  const given = Buffer.from(parts.signature, 'base64url');
  const isSame = given.length === expected.length && timingSafeEqual(given, expected);
  return isSame && /^\d{1,12}$/.test(parts.expires) && Number(parts.expires) * 1000 > now.getTime();
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
