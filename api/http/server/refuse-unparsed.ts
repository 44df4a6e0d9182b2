import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { randomIds } from '../../../db/ids.ts';
import { apiVersion } from '../../../workflows/events.ts';
import type { FailureCode } from '../../../workflows/failures.ts';
import { failureAnswers } from '../problem/failure-answers.ts';
import { versionHeader } from './version.ts';

/** How long the rest of a request is read, so that the client gets to read the response. */
const lingerMs = 5_000;

const codes: Readonly<Record<string, FailureCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'body_timeout',
};

/**
 * Answers requests that the parser refuses: 431, 413 or 408 with a problem, else 400 without a
 * body. Then ends the connection. The socket keeps reading for a while: closing it with unread
 * bytes resets the connection, and the client loses the response (RFC 9112 §9.6). If a response is
 * partly sent, the connection is destroyed.
 */
export function refuseUnparsed(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  server.prependListener('request', (request, response: ServerResponse) =>
    answers.set(request.socket, response),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser refuses each later part too. Reading it is enough.
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = answers.get(socket);
    const isWithin = answer !== undefined && answer.headersSent && !answer.writableFinished;
    if (!socket.writable || isWithin) {
      socket.destroy(error);
      return;
    }
    socket.end(answerOf(codes[error.code ?? '']));
    socket.on('error', () => socket.destroy());
    const linger = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(linger));
  });
}

/** Returns the bytes of a response. The `type` of its problem is relative (RFC 9457 §3.1.1). */
function answerOf(code: FailureCode | undefined): string {
  if (code === undefined) return 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';
  const { status, title } = failureAnswers[code];
  const requestId = randomIds.make('req');
  const type = `/docs/errors/${code}`;
  const body = JSON.stringify({ type, title, status, code, request_id: requestId });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    `${versionHeader}: ${apiVersion}`,
    'X-Content-Type-Options: nosniff',
    '',
    body,
  ].join('\r\n');
}
