import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { TilesUnusable, type ReadTile } from '../../domain/transparency/tile-tree.ts';
import { printable } from '../command-line/printable.ts';
import { refuseNamedPipe } from './read-named.ts';

const tileMsMax = 10_000;
/** Size of a full tile: 256 hashes. */
const tileBytesMax = 8_192;

/**
 * Returns a reader of the tiles of a log: at its URL (`https://HOST/log`), or in a folder as
 * `tile/<L>/<N>[.p/<W>]`. The reader throws TilesUnusable if the server does not respond.
 */
export function tilesAt(place: string): ReadTile {
  const isAddress = /^https?:\/\//.test(place);
  return isAddress ? (path) => fetchTile(place, path) : (path) => readTile(place, path);
}

async function readTile(folder: string, path: string): Promise<Uint8Array | null> {
  try {
    return await readWithin(join(folder, 'tile', path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // For a partial tile, `273.p` is a folder; `273` may be a file, not a folder.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new TilesUnusable(`${printable(folder)}: cannot be read`, { cause: error });
  }
}

/** Reads at most one byte past the limit, because the tile may be an endless device. */
async function readWithin(path: string): Promise<Uint8Array> {
  await refuseNamedPipe(path);
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tileBytesMax + 1));
    if (bytesRead > tileBytesMax) throw new Error('too long');
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function fetchTile(address: string, path: string): Promise<Uint8Array | null> {
  const url = `${address.replace(/\/+$/, '')}/tile/${path}`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(tileMsMax) });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of answer.body ?? []) {
      length += part.length;
      if (length > tileBytesMax) throw new Error('too long');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (cause) {
    throw new TilesUnusable(`${printable(url)}: gives no tile`, { cause });
  }
}
