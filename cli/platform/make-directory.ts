import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are missing. Node's own `recursive` tries for ever
 * where none can be made in one that is there, as in /proc. Throws what the system says.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  if (!isDirectory(dirname(path))) makeDirectory(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another start may have made it in between.
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
