import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long what a client still sends is read, so that it comes to read its answer. */
const lingerMs = 5_000;

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers what the parser refuses: 431, 413, 408 or 400 without a body, and the connection ends.
 * It stays open to the client for a while: an end with bytes unread resets the connection, and the
 * client loses the answer with it (RFC 9112 §9.6). An answer that has begun is cut off, for nothing
 * can stand in the midst of it.
 */
export function refuseUnparsed(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  server.prependListener('request', (request, response: ServerResponse) =>
    answers.set(request.socket, response),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser refuses each part that follows, too: it is read, which is all that is wanted.
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = answers.get(socket);
    const isWithin = answer !== undefined && answer.headersSent && !answer.writableFinished;
    if (!socket.writable || isWithin) {
      socket.destroy(error);
      return;
    }
    const status = statuses[error.code ?? ''] ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    socket.on('error', () => socket.destroy());
    const linger = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(linger));
  });
}
