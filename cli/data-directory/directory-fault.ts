import { closeSync, constants, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface DirectoryFault {
  readonly why: string;
  readonly fix: string;
}

/** SQLite, in the workflow server, opens no path of more than 512 bytes; its files lie below. */
const pathBytesMax = 480;
/** `__O_TMPFILE` of Linux, the same on every processor Node runs on. */
const nameless = 0o20_000_000;

/** Why nothing can be kept in a directory, there or not yet, and the way out; null where it can. */
export async function directoryFault(directory: string): Promise<DirectoryFault | null> {
  const bytes = Buffer.byteLength(directory);
  if (bytes > pathBytesMax) {
    const why = `its path has ${bytes} bytes, and ${pathBytesMax} are taken`;
    return { why, fix: 'set DATA_DIR to a shorter one' };
  }
  const dangling = await danglingLink(directory);
  if (dangling) {
    const { path, target } = dangling;
    const why = `${path} is a link to ${target}, which is not there`;
    return { why, fix: 'make that, or set DATA_DIR' };
  }
  const existing = await nearest(directory);
  if (!(await stat(existing)).isDirectory()) {
    return { why: `${existing} is no directory`, fix: 'move it away, or set DATA_DIR' };
  }
  if (canMakeIn(existing)) return null;
  return { why: `${existing} cannot be written to`, fix: 'set DATA_DIR' };
}

/** What is kept cannot be: one line that names the path and the way out. */
export async function refuseDirectory(directory: string): Promise<void> {
  const fault = await directoryFault(directory);
  if (fault) throw new Error(`cannot write to ${directory} (${fault.why}); ${fault.fix}`);
}

/** The link on the way to a directory that leads nowhere: nothing can be made over it. */
async function danglingLink(path: string): Promise<{ path: string; target: string } | null> {
  const existing = await nearest(path);
  for (let at = path; at !== existing; at = dirname(at)) {
    const target = await readlink(at).catch(() => null);
    if (target !== null) return { path: at, target };
  }
  return null;
}

/**
 * Whether anything can be made in a directory. Rights alone do not tell: to root they are open
 * where nothing can be made, as in /proc. A file without a name (open(2), O_TMPFILE) is gone
 * however we end; where a file system has none, as /proc, something with a name is made and removed
 * at once.
 */
function canMakeIn(directory: string): boolean {
  const { O_DIRECTORY, O_WRONLY } = constants;
  try {
    if (process.platform === 'linux') {
      closeSync(openSync(directory, nameless | O_DIRECTORY | O_WRONLY, 0o600));
      return true;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'EISDIR') return false;
  }
  try {
    rmdirSync(mkdtempSync(join(directory, 'start.')));
    return true;
  } catch {
    return false;
  }
}

/** The directory itself, or the nearest above it that is there. */
export async function nearest(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}
