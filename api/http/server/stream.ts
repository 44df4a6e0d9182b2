import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** How long a client may take to read one part. */
const patienceMsUsual = 30_000;

/**
 * Sends the parts of a body one by one, each after the client has read the one before. A client
 * that takes too long over one part is disconnected, even if it reads slowly. An error of the first
 * part is thrown before anything is sent. A later error ends the connection, so that the client
 * detects an incomplete body.
 * @param parts small ones: each is in memory until the client has read it
 */
export async function sendStream(
  response: Response,
  type: string,
  parts: AsyncIterable<Uint8Array>,
  patienceMs = patienceMsUsual,
): Promise<void> {
  const rest = parts[Symbol.asyncIterator]();
  const first = await rest.next();
  try {
    response.setHeader('Content-Type', type);
    await pipeline(joined(first, rest, response, patienceMs), response);
  } finally {
    // If the client left before the pipeline began, the iterator is still open.
    await rest.return?.();
  }
}

async function* joined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
  response: Response,
  patienceMs: number,
): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await rest.next()) {
    const timer = setTimeout(() => response.destroy(), patienceMs);
    try {
      yield next.value;
    } finally {
      clearTimeout(timer);
    }
  }
}
