import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nextFolder, pendingFolder, retiredFolder, type KeyPlace } from './key-files.ts';

const inside = [retiredFolder, nextFolder];
const folders = ['', ...inside, pendingFolder, ...inside.map((each) => join(pendingFolder, each))];

/**
 * Returns the state of the files in a key directory: paths, inodes, sizes and times. It differs
 * after each change of a file, also of one that was written in place or is behind a symbolic link.
 * The state of an unreadable file is its error.
 */
export function changeStateOf({ directory }: KeyPlace): string {
  const paths = folders.flatMap((folder) => pathsIn(join(directory, folder)));
  return paths.map(stateOf).join();
}

/** Returns the paths in a folder, or the folder's path if it cannot be read. */
function pathsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [folder];
  }
}

/** Returns the state of a file; empty for a folder, because only files are loaded. */
function stateOf(path: string): string {
  try {
    const stat = statSync(path, { bigint: true });
    if (!stat.isFile()) return '';
    return [path, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unreadable';
    return `${path} ${String(code)}`;
  }
}
