import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** How long a reader may take over one part. */
const patienceMsUsual = 30_000;

/**
 * Sends the parts of a body as they are made, none before the reader has taken the one before it: a
 * reader that takes too long over one is let go of, however little of it they take at a time.
 * Throws what the making of the first part throws, with nothing sent yet; a later fault ends the
 * connection, so that nobody takes a piece for the whole.
 * @param parts small ones: each is held until it is taken
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
    // A reader that was gone before the pipeline began has left the making of parts half way.
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
