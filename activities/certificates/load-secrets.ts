import { hkdfSync } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  KeyDirectoryError,
  masterSecretFile,
  mismatched,
  nextFolder,
  pathIn,
  pendingFolder,
  readKeyFile,
  readSecret,
  retiredFolder,
  type KeyPlace,
} from './key-files.ts';
import { publishedEnding } from './load-next.ts';
import { markEnding, retiredEnding } from './load-retired.ts';
import { firstVersion } from './secret-purposes.ts';

/** One version of the master secret. */
export interface SecretVersion {
  readonly version: number;
  /** Public identifier: 16 bytes that are derived from the secret, in hex. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Buffer;
  readonly state: 'current' | 'next' | 'retired' | 'revoked';
  /** When it was published, of the next one alone. */
  readonly publishedAt: Date | null;
  /** When it was retired or revoked; null of the current and the next one. */
  readonly endedAt: Date | null;
}

/** Name of the master secret in commands. */
export const secretName = 'master-secret';
const fileName = 'master';
/** `HEX` of the first version, `VERSION:HEX` of any other. */
const contentForm = /^(?:([1-9]\d{0,5}):)?([0-9a-f]{64})$/i;
const retiredForm = new RegExp(String.raw`^(${fileName}-[1-9]\d{0,5})\.secret$`);

const publication = z.object({ published_at: z.coerce.date() });
const retirement = z.object({ retired_at: z.coerce.date() });
const revocation = z.object({ revoked_at: z.coerce.date() });

/** Places of files of the master secret, below the key directory. */
export const secretFiles = {
  current: masterSecretFile,
  next: join(nextFolder, masterSecretFile),
  published: join(nextFolder, `${fileName}${publishedEnding}`),
  retired: (version: number): string => join(retiredFolder, `${fileName}-${version}.secret`),
  retirement: (version: number): string =>
    join(retiredFolder, `${fileName}-${version}${retiredEnding}`),
  revocation: (version: number): string =>
    join(retiredFolder, `${fileName}-${version}${markEnding}`),
};

/** Content of a version's file. */
export const secretContent = ({ version, secret }: Pick<SecretVersion, 'version' | 'secret'>) =>
  version === firstVersion ? secret.toString('hex') : `${version}:${secret.toString('hex')}`;

/**
 * Loads all versions of the master secret: the current one, the next one, then the retired ones,
 * newest first.
 * @throws KeyDirectoryError for a file that cannot be used, two versions of one number or one
 *   secret, and a missing first version
 */
export function loadSecrets(place: KeyPlace): SecretVersion[] {
  const current = read(place, secretFiles.current);
  const ended = listRetired(place)
    .map((name) => readRetired(place, name))
    // A change that was interrupted leaves the current version in both places.
    .filter(({ version }) => version !== current.version);
  const versions: SecretVersion[] = [
    { ...current, state: 'current', publishedAt: null, endedAt: null },
    ...nextOf(place, current.version),
    ...ended.sort((a, b) => b.version - a.version),
  ];
  checkDistinct(versions);
  if (versions.some(({ version }) => version === firstVersion)) return versions;
  const path = join(place.directory, secretFiles.retired(firstVersion));
  throw new KeyDirectoryError('missing', `${path}: does not exist; names are found by it`);
}

function read(place: KeyPlace, name: string): Pick<SecretVersion, 'version' | 'id' | 'secret'> {
  const path = pathIn(place.directory, name);
  const [, version = String(firstVersion), hex = ''] =
    contentForm.exec(readSecret(path).trim()) ?? [];
  if (hex === '') {
    throw new KeyDirectoryError('unreadable', `${path}: not 32 bytes of hex, after VERSION:`);
  }
  const secret = Buffer.from(hex, 'hex');
  return { version: Number(version), secret, id: secretId(secret) };
}

/** 32 bytes for one purpose. */
export const deriveSecret = (secret: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'trustcheck', purpose, 32));

/** Public identifier of a secret. */
export const secretId = (secret: Uint8Array): string =>
  deriveSecret(secret, 'id').subarray(0, 16).toString('hex');

/** Ignores a next version that is current already. */
function nextOf(place: KeyPlace, currentVersion: number): SecretVersion[] {
  if (!existsSync(pathIn(place.directory, secretFiles.next))) return [];
  const next = read(place, secretFiles.next);
  if (next.version <= currentVersion) return [];
  const publishedAt = readTime(place, secretFiles.published, publication).published_at;
  return [{ ...next, state: 'next', publishedAt, endedAt: null }];
}

function listRetired({ directory }: KeyPlace): string[] {
  const folders = [join(pendingFolder, retiredFolder), retiredFolder];
  const paths = folders.map((folder) => join(directory, folder)).filter(existsSync);
  return [...new Set(paths.flatMap((path) => readdirSync(path)))].filter((name) =>
    retiredForm.test(name),
  );
}

function readRetired(place: KeyPlace, file: string): SecretVersion {
  const found = read(place, join(retiredFolder, file));
  const { version } = found;
  if (join(retiredFolder, file) !== secretFiles.retired(version)) {
    throw mismatched(join(retiredFolder, file), `holds version ${version}`);
  }
  if (existsSync(pathIn(place.directory, secretFiles.revocation(version)))) {
    const { revoked_at: endedAt } = readTime(place, secretFiles.revocation(version), revocation);
    return { ...found, state: 'revoked', publishedAt: null, endedAt };
  }
  const { retired_at: endedAt } = readTime(place, secretFiles.retirement(version), retirement);
  return { ...found, state: 'retired', publishedAt: null, endedAt };
}

function readTime<Schema extends z.ZodType>(
  { directory }: KeyPlace,
  name: string,
  schema: Schema,
): z.output<Schema> {
  const path = pathIn(directory, name);
  const content = readKeyFile(path).toString();
  try {
    return schema.parse(JSON.parse(content));
  } catch {
    throw mismatched(secretName, `${path} does not say when`);
  }
}

function checkDistinct(versions: readonly SecretVersion[]): void {
  const numbers = new Set(versions.map(({ version }) => version));
  const ids = new Set(versions.map(({ id }) => id));
  if (Math.min(numbers.size, ids.size) === versions.length) return;
  throw mismatched(secretName, 'two versions have one number or one secret');
}
