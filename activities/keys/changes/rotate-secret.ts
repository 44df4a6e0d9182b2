import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mismatched, type KeyPlace } from '../directory/key-files.ts';
import {
  metadataFile,
  publication,
  retirement,
  revocation,
  type RevocationMark,
} from '../directory/key-metadata.ts';
import {
  secretContent,
  secretFiles,
  secretId,
  secretName,
  secretNames,
  type SecretVersion,
} from '../directory/load-secrets.ts';
import type { KeyChange } from './change-keys.ts';

type Made = Pick<SecretVersion, 'version' | 'id' | 'secret'>;

export interface ChangedSecret {
  /** Input of `changeKeys`. */
  readonly files: KeyChange;
  readonly made: Made;
}

/** Returns the version that new values use. */
export function currentSecret(versions: readonly SecretVersion[]): SecretVersion {
  const found = versions.find(({ state }) => state === 'current');
  if (!found) throw mismatched(secretName, 'there is no current version');
  return found;
}

/** Creates the next version, which every process accepts but does not use yet. Writes no files. */
export function publishSecret(versions: readonly SecretVersion[], now: Date): ChangedSecret {
  const made = makeSecret(versions);
  const files = new Map([
    [secretFiles.next, secretContent(made)],
    metadataFile(secretNames.next, publication, { published_at: now }),
  ]);
  return { files, made };
}

/** Makes the next version current, and retires the old one. Writes no files. */
export function rotateSecret(
  versions: readonly SecretVersion[],
  next: SecretVersion,
  now: Date,
): ChangedSecret {
  const old = currentSecret(versions);
  const files = new Map([
    [secretFiles.retired(old.version), secretContent(old)],
    metadataFile(secretNames.retired(old.version), retirement, { retired_at: now }),
    [secretFiles.current, secretContent(next)],
  ]);
  return { files, made: next };
}

/**
 * Replaces a stolen version with a new one. The stolen version stays for pinned values, and a
 * published next version stays so that its number is not reused. Both are revoked. Writes no files.
 */
export function replaceStolenSecret(
  versions: readonly SecretVersion[],
  mark: RevocationMark,
): ChangedSecret {
  const old = currentSecret(versions);
  const made = makeSecret(versions);
  const next = versions.filter(({ state }) => state === 'next');
  const files = new Map([[secretFiles.current, secretContent(made)]]);
  for (const stolen of [old, ...next]) {
    files.set(secretFiles.retired(stolen.version), secretContent(stolen));
    files.set(...metadataFile(secretNames.retired(stolen.version), revocation, mark));
  }
  return { files, made };
}

/** A version number is never reused for another secret. */
function makeSecret(versions: readonly SecretVersion[]): Made {
  const secret = randomBytes(32);
  const version = Math.max(...versions.map((each) => each.version)) + 1;
  return { version, secret, id: secretId(secret) };
}

/** Removes the files of a next version that became current or is discarded. */
export async function forgetNextSecret(place: KeyPlace): Promise<void> {
  await removeFiles(place, [secretFiles.next, secretFiles.published]);
}

/** Removes the files of a retired or stolen version, the secret first. */
export async function removeSecretFiles(place: KeyPlace, version: number): Promise<void> {
  const { retired, retirement, revocation } = secretFiles;
  await removeFiles(place, [retired(version), retirement(version), revocation(version)]);
}

async function removeFiles({ directory }: KeyPlace, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(directory, name), { force: true });
}
