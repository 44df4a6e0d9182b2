import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** A reader that takes nothing for so long is let go of. */
const stallMsMax = 30_000;

/**
 * Sends the parts of a body as they are made, none before the reader has taken the one before it.
 * Throws what the making of the first part throws, with nothing sent yet; a later fault ends the
 * connection, so that nobody takes a piece for the whole.
 */
export async function sendStream(
  response: Response,
  type: string,
  parts: AsyncIterable<string>,
): Promise<void> {
  const rest = parts[Symbol.asyncIterator]();
  const first = await rest.next();
  response.setHeader('Content-Type', type);
  response.setTimeout(stallMsMax, () => response.destroy());
  await pipeline(joined(first, rest), response);
}

async function* joined(
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
): AsyncGenerator<string> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}
