import { hkdfSync } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { firstVersion } from '../../../domain/secret-purposes.ts';
import {
  KeyDirectoryError,
  masterSecretFile,
  mismatched,
  nextFolder,
  pathIn,
  pendingFolder,
  readSecret,
  retiredFolder,
  type KeyPlace,
} from './key-files.ts';
import { findMetadata, publication, readMetadata, retirement, revocation } from './key-metadata.ts';

/** One version of the master secret. */
export interface SecretVersion {
  readonly version: number;
  /** Public identifier: 16 bytes that are derived from the secret, in hex. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Buffer;
  readonly state: 'current' | 'next' | 'retired' | 'revoked';
  /** When it was published; null unless it is the next version. */
  readonly publishedAt: Date | null;
  /** When it was retired or revoked; null for the current and the next version. */
  readonly endedAt: Date | null;
}

/** Name of the master secret in commands. */
export const secretName = 'master-secret';
const fileName = 'master';
/** `HEX` of the first version, `VERSION:HEX` of any other. */
const contentForm = /^(?:([1-9]\d{0,5}):)?([0-9a-f]{64})$/i;
const retiredForm = new RegExp(String.raw`^(${fileName}-[1-9]\d{0,5})\.secret$`);

/** Paths of the metadata of versions, relative to the key directory and without suffixes. */
export const secretNames = {
  next: join(nextFolder, fileName),
  retired: (version: number): string => join(retiredFolder, `${fileName}-${version}`),
};

/** Paths of the files of the master secret, relative to the key directory. */
export const secretFiles = {
  current: masterSecretFile,
  next: join(nextFolder, masterSecretFile),
  published: `${secretNames.next}${publication.ending}`,
  retired: (version: number): string => `${secretNames.retired(version)}.secret`,
  retirement: (version: number): string => `${secretNames.retired(version)}${retirement.ending}`,
  revocation: (version: number): string => `${secretNames.retired(version)}${revocation.ending}`,
};

/** Returns the content of a version's file. */
export const secretContent = ({ version, secret }: Pick<SecretVersion, 'version' | 'secret'>) =>
  version === firstVersion ? secret.toString('hex') : `${version}:${secret.toString('hex')}`;

/**
 * Loads all versions of the master secret: the current one, the next one, then the retired ones,
 * newest first.
 * @throws KeyDirectoryError for an unusable file, a repeated number or secret, and a missing first
 * version
 */
export function loadSecrets(place: KeyPlace): SecretVersion[] {
  const current = read(place, secretFiles.current);
  const ended = listRetired(place)
    .map((name) => readRetired(place, name))
    // An interrupted change leaves the current version in both places.
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

/** Derives 32 bytes for one purpose. */
export const deriveSecret = (secret: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'trustcheck', purpose, 32));

/** Returns the public identifier of a secret. */
export const secretId = (secret: Uint8Array): string =>
  deriveSecret(secret, 'id').subarray(0, 16).toString('hex');

/** Returns the next version; none if it is already current. */
function nextOf(place: KeyPlace, currentVersion: number): SecretVersion[] {
  if (!existsSync(pathIn(place.directory, secretFiles.next))) return [];
  const next = read(place, secretFiles.next);
  if (next.version <= currentVersion) return [];
  const { published_at: publishedAt } = readMetadata(place, secretNames.next, publication);
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
  const revoked = findMetadata(place, secretNames.retired(version), revocation);
  if (revoked) {
    return { ...found, state: 'revoked', publishedAt: null, endedAt: revoked.revoked_at };
  }
  const { retired_at: endedAt } = readMetadata(place, secretNames.retired(version), retirement);
  return { ...found, state: 'retired', publishedAt: null, endedAt };
}

function checkDistinct(versions: readonly SecretVersion[]): void {
  const numbers = new Set(versions.map(({ version }) => version));
  const ids = new Set(versions.map(({ id }) => id));
  if (Math.min(numbers.size, ids.size) === versions.length) return;
  throw mismatched(secretName, 'two versions have one number or one secret');
}
