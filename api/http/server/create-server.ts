import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { refuseUnparsed } from './refuse-unparsed.ts';

/** How long a connection may be under way to neither side. */
const silenceMsUsual = 60_000;

/**
 * How long a connection is kept for a next request: longer than proxies and balancers keep theirs
 * (mostly 60 s), so that nobody sends on one that is being closed here.
 */
const idleMsMax = 72_000;

/** All headers of a request: 16 KiB of `attest`, and as much for the others. */
const headerBytesMax = 32 * 1024;

/** Where sockets are opened; all that begins with it is theirs. */
export const socketsPath = '/socket.io/';

/** `uri-host [":" port]` (RFC 9110 §7.2); it may be empty. */
const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/**
 * A server that lets go of a connection on which nothing moves: a reader that takes nothing holds
 * the whole answer in memory, and the system alone would let them do so for ever. Sockets that were
 * upgraded have pings of their own. An upgrade to anything but a socket is not taken up, and its
 * request is answered as if it offered none (RFC 9110 §7.8); two names of the host, or one that is
 * none, are 400 (RFC 9112 §3.2).
 */
export function createApiServer(app: RequestListener, silenceMs = silenceMsUsual): Server {
  const server: Server = createServer(
    {
      maxHeaderSize: headerBytesMax,
      shouldUpgradeCallback: (request) =>
        server.listenerCount('upgrade') > 0 && asksForSocket(request) && isHostGood(request),
    },
    (request, response) => {
      if (isHostGood(request)) return app(request, response);
      // As the server itself refuses what has no host.
      response.writeHead(400, { Connection: 'close' }).end();
    },
  );
  refuseUnparsed(server);
  server.timeout = silenceMs;
  server.keepAliveTimeout = idleMsMax;
  return server;
}

function asksForSocket({ method, url = '', headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return method === 'GET' && isWebSocket && url.startsWith(socketsPath);
}

/** Of two names the server shows the first alone; the lines as they came show both. */
function isHostGood({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.0';
  const names = rawHeaders.filter((name, place) => place % 2 === 0 && isHostLine(name));
  return names.length === 1 && hostForm.test(host);
}

const isHostLine = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';
