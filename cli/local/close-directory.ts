import { chmod, lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { kept } from '../data-directory/data-directory.ts';

/**
 * Name prefixes of the platform's files: temporary files and locks are stored beside their target.
 */
const ours = new Set(kept.map(stemOf));

/**
 * Removes the access of other users to the data directory and its content, also if an earlier run
 * left it open. A directory with other files, or of another user, keeps its permissions; the
 * platform's files in it are closed anyway. Called while nothing runs there.
 */
export async function closeDirectory(dataDir: string): Promise<void> {
  const { uid, mode } = await lstat(dataDir);
  const names = await readdir(dataDir);
  const isOurs = uid === process.getuid?.() && names.every((name) => ours.has(stemOf(name)));
  if (isOurs && (mode & 0o077) !== 0) await chmod(dataDir, 0o700);
  // The cluster has its own user, who keeps it closed.
  for (const name of kept.filter((each) => each !== 'postgres')) await close(join(dataDir, name));
}

/** Does not descend: objects are many, and their folder protects them. */
async function close(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  const isClosable = found?.isDirectory() || found?.isFile();
  if (!found || !isClosable || found.uid !== process.getuid?.()) return;
  const rights = found.isDirectory() ? 0o700 : 0o600;
  if ((found.mode & 0o077) !== 0) await chmod(path, rights);
  if (!found.isDirectory() || basename(path) === 'objects') return;
  for (const name of await readdir(path)) await close(join(path, name));
}

function stemOf(name: string): string {
  return name.split('.')[0] ?? name;
}
