import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { refuseUnparsed } from './refuse-unparsed.ts';

/** How long a connection may be silent in both directions. */
const silenceMsUsual = 60_000;

/**
 * How long an idle connection is kept. Proxies and load balancers mostly keep theirs for 60 s. A
 * longer time here avoids a request on a connection that the server is closing.
 */
const idleMsMax = 72_000;

/** All headers of a request: 16 KiB for `attest`, and as much for the others. */
const headerBytesMax = 32 * 1024;

/** Path prefix of sockets. */
export const socketsPath = '/socket.io/';

/** `uri-host [":" port]` (RFC 9110 §7.2); it may be empty. */
const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/**
 * Creates a server that closes silent connections. A client that does not read keeps the whole
 * response in memory, and the operating system sets no limit on that. Upgraded sockets have their
 * own pings. An upgrade to another protocol is ignored, and its request is answered as usual (RFC
 * 9110 §7.8). Two `Host` headers, or an invalid one, are 400 (RFC 9112 §3.2).
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
      // The same response as Node's own to a request without `Host`.
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

/** With two `Host` headers `headers.host` has only the first; `rawHeaders` has both. */
function isHostGood({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.0';
  const names = rawHeaders.filter((name, place) => place % 2 === 0 && isHostLine(name));
  return names.length === 1 && hostForm.test(host);
}

const isHostLine = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';
