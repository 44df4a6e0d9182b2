import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  KeyDirectoryError,
  nextFolder,
  pendingFolder,
  retiredFolder,
} from '../directory/key-files.ts';

/** Folders of a key directory whose files change with it. */
const folders = [retiredFolder, nextFolder];

/** Files below the key directory with what they are to hold. */
export type KeyChange = ReadonlyMap<string, string | Uint8Array>;

/**
 * Changes several files of a key directory at once. All are written and flushed aside, then one
 * rename makes them count: readers look there first. A process killed before leaves the old files,
 * one killed after it the new ones, whose places the next change or `finishKeyChange` fills.
 * One at a time: the caller holds a lock.
 * @throws KeyDirectoryError when another change is under way all the same
 */
export async function changeKeys(directory: string, files: KeyChange): Promise<void> {
  await finishKeyChange(directory);
  await forgetUnfinished(directory);
  const aside = join(directory, `${pendingFolder}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    for (const folder of folders) {
      await mkdir(join(aside, folder), { recursive: true, mode: 0o700 });
    }
    for (const [name, content] of files) await writeFlushed(join(aside, name), content);
    for (const folder of folders) await flush(join(aside, folder));
    await flush(aside);
    await rename(aside, join(directory, pendingFolder));
  } catch (cause) {
    await rm(aside, { recursive: true, force: true });
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw cause;
    throw new KeyDirectoryError('mismatched', `${directory}: another change of keys is under way`);
  }
  await flush(directory);
  await finishKeyChange(directory);
}

/**
 * Sees that a key directory can be written to, before anything else changes that the files are to
 * follow: a file is written, flushed and removed.
 * @throws KeyDirectoryError `unreadable` where it cannot
 */
export async function checkWritable(directory: string): Promise<void> {
  const probe = join(directory, `${pendingFolder}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFlushed(probe, 'probe');
    await flush(directory);
    await rm(probe, { force: true });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'failed';
    const message = `${directory}: cannot be written (${String(code)}); no key was changed`;
    throw new KeyDirectoryError('unreadable', message, { cause });
  }
}

/** Moves what a change has left aside to its place; several may do it at once. */
export async function finishKeyChange(directory: string): Promise<void> {
  const pending = join(directory, pendingFolder);
  if (!existsSync(pending)) return;
  for (const folder of folders) {
    await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
  }
  // What retires is in its place before anything takes the place it had.
  for (const folder of [...folders, '']) {
    const from = join(pending, folder);
    const names = existsSync(from) ? readdirSync(from) : [];
    for (const name of names.filter((each) => !folders.includes(each))) {
      await rename(join(from, name), join(directory, folder, name)).catch(ignoreMissing);
    }
    await flush(join(directory, folder));
  }
  // Only what is empty goes: another may have ended this change and made the next one since.
  for (const folder of folders) await rmdir(join(pending, folder)).catch(ignoreMissing);
  await rmdir(pending).catch(ignoreMissing);
  await flush(directory);
}

function ignoreMissing(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
}

/** Forgets changes that never counted. */
async function forgetUnfinished(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const isLeft = name.startsWith(`${pendingFolder}.`) && name.endsWith('.tmp');
    if (isLeft) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Writes a new file of its owner alone, onto the disk. A failure removes the file. */
export async function writeFlushed(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Has the names in a directory on the disk. */
export async function flush(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
