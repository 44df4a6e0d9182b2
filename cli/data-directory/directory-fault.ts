import { closeSync, constants, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface DirectoryFault {
  readonly why: string;
  readonly fix: string;
}

/**
 * SQLite in the Temporal server opens no path over 512 bytes; its files are below this directory.
 */
const pathBytesMax = 480;
/** `__O_TMPFILE` of Linux, the same on every processor that Node supports. */
const nameless = 0o20_000_000;

/** Returns why a directory, existing or not, cannot be used, and the remedy; null if it can. */
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

/**
 * Requires a usable directory.
 * @throws a one-line error with the path and the remedy
 */
export async function refuseDirectory(directory: string): Promise<void> {
  const fault = await directoryFault(directory);
  if (fault) throw new Error(`cannot write to ${directory} (${fault.why}); ${fault.fix}`);
}

/**
 * Returns the dangling symbolic link on the way to a directory; no directory can be made through
 * it.
 */
async function danglingLink(path: string): Promise<{ path: string; target: string } | null> {
  const existing = await nearest(path);
  for (let at = path; at !== existing; at = dirname(at)) {
    const target = await readlink(at).catch(() => null);
    if (target !== null) return { path: at, target };
  }
  return null;
}

/**
 * Returns true if a file can be created in a directory. Permissions are not enough: root has them
 * where no file can be created, as in /proc. Creates an unnamed file (open(2), O_TMPFILE), which
 * vanishes even after a crash. If the file system has none, as in /proc, creates and removes a
 * named one.
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

/** Returns the directory, or its nearest existing ancestor. */
export async function nearest(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}
