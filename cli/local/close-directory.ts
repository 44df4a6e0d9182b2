import { chmod, lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { kept } from '../data-directory/data-directory.ts';

/** What a name begins with that is ours: drafts and locks lie beside what they are for. */
const ours = new Set(kept.map(stemOf));

/**
 * Closes the data directory and what lies in it to everybody but its owner, also where an earlier
 * run has left it open. A directory that holds anything else, or is another user's, keeps its
 * rights; what is ours in it is closed all the same. Called while nothing runs there.
 */
export async function closeDirectory(dataDir: string): Promise<void> {
  const { uid, mode } = await lstat(dataDir);
  const names = await readdir(dataDir);
  const isOurs = uid === process.getuid?.() && names.every((name) => ours.has(stemOf(name)));
  if (isOurs && (mode & 0o077) !== 0) await chmod(dataDir, 0o700);
  // The cluster has an owner of its own, who keeps it closed.
  for (const name of kept.filter((each) => each !== 'postgres')) await close(join(dataDir, name));
}

/** Objects are many, and closed by the folder they lie in. */
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
