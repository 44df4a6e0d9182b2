import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { reasonOf } from './platform/reason.ts';
import { printable } from './printable.ts';

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
    throw unreadable(path, cause);
  }
}

/**
 * A file named on the command line, `-` being standard input, piece by piece. Throws as
 * `readNamed`.
 */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const source = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    for await (const piece of source) yield piece as Buffer;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): Error {
  const why = faults[(cause as NodeJS.ErrnoException).code ?? ''] ?? printable(reasonOf(cause));
  return new Error(`${printable(path)}: ${why}`, { cause });
}
