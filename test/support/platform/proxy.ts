import { once } from 'node:events';
import {
  createServer as createPlainServer,
  request as send,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Proxy {
  readonly url: string;
  /** How many requests each backend has answered, in the order of the backends. */
  answered(): readonly number[];
  stop(): Promise<void>;
}

export interface ProxyOptions {
  /** Origins with `http:`, used in turn. */
  readonly backends: readonly string[];
  /** Serves `https://localhost` with this certificate; without it, `http://127.0.0.1`. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

interface Backend {
  readonly host: string;
  readonly port: number;
  failedAtMs: number;
  answered: number;
}

/**
 * Values of `deploy/Caddyfile`: `lb_try_duration`, `fail_duration`, and Caddy's default interval.
 */
const tryMsMax = 5_000;
const failedMs = 5_000;
const tryAgainMs = 250;

/**
 * A proxy that behaves like Caddy with `deploy/Caddyfile`, but selects backends in turn instead of
 * randomly. A request goes to another backend only if no connection was made, or if it is a GET.
 * Otherwise a broken connection results in a 502. Sockets are passed through and stay with their
 * backend.
 */
export async function startProxy({ backends, tls }: ProxyOptions): Promise<Proxy> {
  const all = backends.map((origin): Backend => {
    const { hostname, port } = new URL(origin);
    return { host: hostname, port: Number(port), failedAtMs: -failedMs, answered: 0 };
  });
  let turn = 0;
  const next = (): Backend | undefined => {
    for (let tried = 0; tried < all.length; tried += 1) {
      turn += 1;
      const backend = all[turn % all.length];
      if (backend && performance.now() - backend.failedAtMs >= failedMs) return backend;
    }
    return undefined;
  };
  const onRequest: RequestListener = (incoming, outgoing) => {
    void forward(next, incoming, outgoing).catch(() => outgoing.destroy());
  };
  const server = tls ? createSecureServer(tls, onRequest) : createPlainServer(onRequest);
  const open = new Set<Duplex>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    void upgrade(next, incoming, socket, head).catch(() => socket.destroy());
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    answered: () => all.map(({ answered }) => answered),
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a backend that accepts a connection; null after five seconds without one. */
async function connected(
  next: () => Backend | undefined,
): Promise<{ backend: Backend; socket: Socket } | null> {
  const deadline = performance.now() + tryMsMax;
  while (performance.now() < deadline) {
    const backend = next();
    const socket = backend && connect(backend.port, backend.host);
    const isOpen = socket && (await opened(socket));
    if (backend && isOpen) return { backend, socket };
    if (backend) backend.failedAtMs = performance.now();
    await sleep(tryAgainMs);
  }
  return null;
}

const opened = (socket: Socket): Promise<boolean> =>
  once(socket, 'connect').then(
    () => true,
    () => false,
  );

async function forward(
  next: () => Backend | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  const body = Buffer.concat(parts);
  const deadline = performance.now() + tryMsMax;
  for (;;) {
    const to = await connected(next);
    if (!to) return void outgoing.writeHead(503).end();
    const isAnswered = await pass(to, incoming, body, outgoing);
    if (isAnswered) return;
    to.backend.failedAtMs = performance.now();
    if (incoming.method !== 'GET' || performance.now() > deadline) {
      return void outgoing.writeHead(502).end();
    }
  }
}

/**
 * Returns false if the backend broke off before it answered. A partial answer is cut off for the
 * client.
 */
function pass(
  { backend, socket }: { backend: Backend; socket: Socket },
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<boolean> {
  const { method, url: path } = incoming;
  const headers = { ...forwarded(incoming), connection: 'close' };
  const request = send({ createConnection: () => socket, method, path, headers });
  return new Promise((resolve) => {
    request.once('response', (response) => {
      backend.answered += 1;
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
      response.once('error', () => outgoing.destroy());
      outgoing.once('close', () => resolve(true));
    });
    request.once('error', () => resolve(outgoing.headersSent));
    request.end(body);
  });
}

async function upgrade(
  next: () => Backend | undefined,
  incoming: IncomingMessage,
  from: Duplex,
  head: Buffer,
): Promise<void> {
  const to = await connected(next);
  if (!to) return void from.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
  to.backend.answered += 1;
  const lines = Object.entries(forwarded(incoming)).map(
    ([name, value]) => `${name}: ${String(value)}`,
  );
  to.socket.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  to.socket.write(head);
  from.pipe(to.socket).pipe(from);
  for (const [one, other] of [
    [from, to.socket],
    [to.socket, from],
  ] as const) {
    one.once('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
}

/** Returns the headers of a request, with its source address appended to the forwarded ones. */
function forwarded(incoming: IncomingMessage): Record<string, string | string[] | undefined> {
  const before = incoming.headers['x-forwarded-for'];
  const from = incoming.socket.remoteAddress ?? '';
  return { ...incoming.headers, 'x-forwarded-for': before ? `${String(before)}, ${from}` : from };
}
