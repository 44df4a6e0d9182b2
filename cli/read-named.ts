import { readFile } from 'node:fs/promises';
import { reasonOf } from './platform/reason.ts';

const faults: Readonly<Record<string, string>> = {
  EACCES: 'may not be read',
  EISDIR: 'is a directory',
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
};

/** A file named on the command line. Throws one line that says why it cannot be read. */
export async function readNamed(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const why = faults[(cause as NodeJS.ErrnoException).code ?? ''] ?? reasonOf(cause);
    throw new Error(`${path}: ${why}`, { cause });
  }
}
