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

/** Folders of a key directory that change with it. */
const folders = [retiredFolder, nextFolder];

/** Paths below the key directory, with the new content of each file. */
export type KeyChange = ReadonlyMap<string, string | Uint8Array>;

/**
 * Changes several files of a key directory atomically. It writes and flushes all files to a
 * temporary folder. One rename to the pending folder then activates them: readers look there first.
 * A process that is killed before the rename leaves the old files. One that is killed later leaves
 * the new ones in the pending folder, and the next change or `finishKeyChange` moves them. The
 * caller holds a lock, so that changes do not overlap.
 * @throws KeyDirectoryError when another change is in progress despite the lock
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
 * Writes, flushes and removes a file in a key directory. Call it before changes elsewhere that the
 * files must match.
 * @throws KeyDirectoryError `unreadable` when the directory is not writable
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

/** Moves pending files to their places. Several processes may do this concurrently. */
export async function finishKeyChange(directory: string): Promise<void> {
  const pending = join(directory, pendingFolder);
  if (!existsSync(pending)) return;
  for (const folder of folders) {
    await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
  }
  // Retired files move first, before new files replace the originals.
  for (const folder of [...folders, '']) {
    const from = join(pending, folder);
    const names = existsSync(from) ? readdirSync(from) : [];
    for (const name of names.filter((each) => !folders.includes(each))) {
      await rename(join(from, name), join(directory, folder, name)).catch(ignoreMissing);
    }
    await flush(join(directory, folder));
  }
  // Removes only empty folders: another process may have started the next change already.
  for (const folder of folders) await rmdir(join(pending, folder)).catch(ignoreMissing);
  await rmdir(pending).catch(ignoreMissing);
  await flush(directory);
}

function ignoreMissing(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
}

/** Removes temporary folders of changes that were never activated. */
async function forgetUnfinished(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const isLeft = name.startsWith(`${pendingFolder}.`) && name.endsWith('.tmp');
    if (isLeft) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Writes and flushes a new file, mode 0600. A failure removes the file. */
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

/** Flushes the entries of a directory to disk. */
export async function flush(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
