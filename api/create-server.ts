import { createServer, type RequestListener, type Server } from 'node:http';

/** How long a connection may be under way to neither side. */
const silenceMsUsual = 60_000;

/**
 * A server that lets go of a connection on which nothing moves: a reader that takes nothing holds
 * the whole answer in memory, and the system alone would let them do so for ever. Sockets that were
 * upgraded have pings of their own.
 */
export function createApiServer(app: RequestListener, silenceMs = silenceMsUsual): Server {
  const server = createServer(app);
  server.timeout = silenceMs;
  return server;
}
