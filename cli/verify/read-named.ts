import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { printable } from '../command-line/printable.ts';
import { reasonOf } from '../command-line/reason.ts';

const faults: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
};

const mebibyte = 1024 * 1024;
/** More than the size of any affidavit, list or proof. */
export const namedBytesMax = 64 * mebibyte;

/**
 * Reads a file named on the command line. Stops at `bytesMax`, because a device or a pipe may have
 * no end.
 * @throws Error with one line that says why it cannot be read
 */
export async function readNamed(path: string, bytesMax = namedBytesMax): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of readPieces(path)) {
    sizeBytes += piece.length;
    if (sizeBytes > bytesMax) {
      throw new Error(`${printable(path)}: is over ${bytesMax / mebibyte} MiB, the limit`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Reads a file named on the command line in pieces; `-` is standard input. The caller limits the
 * total.
 * @throws as `readNamed` does
 */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  try {
    if (path !== '-') await refuseNamedPipe(path);
    const source =
      path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 1 << 20 });
    for await (const piece of source) yield piece as Buffer;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/**
 * Rejects a named pipe: opening one waits until another process writes to it. Standard input and
 * pipes of the shell (`<(…)`) have a writer and are named as descriptors.
 * @throws Error also if the file does not exist
 */
export async function refuseNamedPipe(path: string): Promise<void> {
  const isDescriptor = /^\/(?:dev\/(?:stdin$|fd\/\d+$)|proc\/(?:self|\d+)\/fd\/\d+$)/.test(path);
  if (isDescriptor || !(await stat(path)).isFIFO()) return;
  throw new Error('is a named pipe; name a file or /dev/stdin');
}

function unreadable(path: string, cause: unknown): Error {
  const why = faults[(cause as NodeJS.ErrnoException).code ?? ''] ?? printable(reasonOf(cause));
  return new Error(`${printable(path)}: ${why}`, { cause });
}
