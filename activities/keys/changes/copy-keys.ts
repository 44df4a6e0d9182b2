import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeldKeyName } from '../directory/held-keys.ts';
import {
  holdsKeyFile,
  keyEnding,
  nextFolder,
  passphraseFile,
  retiredFolder,
} from '../directory/key-files.ts';
import { changeKeys, finishKeyChange } from './change-keys.ts';

const shared = /\.(?:cer\.pem|json|crl|secret)$/;

/**
 * Copies a key directory without the private keys that a process does not hold. Removes files from
 * the copy that the directory does not have. Processes that use the copy reload it.
 */
export async function copyKeys(
  from: string,
  to: string,
  holds: readonly HeldKeyName[],
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  await finishKeyChange(from);
  const names = (await filesOf(from)).filter((name) => isCopied(name, holds));
  const entries = names.map(async (name) => [name, await readFile(join(from, name))] as const);
  await changeKeys(to, new Map(await Promise.all(entries)));
  const kept = new Set(names);
  for (const name of await filesOf(to)) {
    if (!kept.has(name)) await rm(join(to, name));
  }
}

function isCopied(name: string, holds: readonly HeldKeyName[]): boolean {
  if (!name.endsWith(keyEnding)) return shared.test(name) && name !== passphraseFile;
  return holdsKeyFile({ holds }, name);
}

/** Returns the paths of files in a key directory, relative to it. */
async function filesOf(directory: string): Promise<string[]> {
  const found = ['.', retiredFolder, nextFolder].map(async (folder) => {
    const all = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    return all.filter((one) => one.isFile()).map(({ name }) => join(folder, name));
  });
  return (await Promise.all(found)).flat();
}
