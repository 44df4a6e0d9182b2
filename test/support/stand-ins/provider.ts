import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; no body if absent. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly text?: string;
  /** Sent unchanged, instead of `body`. */
  readonly bytes?: Uint8Array;
}

/**
 * A fault instead of the usual answer: another answer, silence, a broken connection, or bytes so
 * slow that the connection is never silent.
 */
export type Fault = ProviderAnswer | 'hang' | 'reset' | 'trickle';

/**
 * Returns how long a client waits for a stand-in with this fault. The limit is short where only the
 * limit ends the wait; the tests then repeat later calls until they are answered. Otherwise it is
 * so long that a busy machine never reaches it.
 */
export const patienceMsWith = (fault: unknown): number =>
  fault === 'hang' || fault === 'trickle' ? 500 : 60_000;

export interface Provider {
  readonly url: string;
  /** Every received request in order, including those with a fault. */
  readonly requests: readonly ProviderRequest[];
  /** Makes the next `times` requests fail with this fault. */
  failNext(fault: Fault, times?: number): void;
  /** Clears all faults. */
  recover(): void;
  stop(): Promise<void>;
}

const bodyBytesMax = 30_000_000;

/** Serves a provider's protocol on its own port. `answer` implements the protocol. */
export async function startProvider(
  answer: (request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>,
): Promise<Provider> {
  const requests: ProviderRequest[] = [];
  const faults: Fault[] = [];
  const server = createServer((incoming, outgoing) => {
    void readRequest(incoming).then(async (request) => {
      if (!request) return outgoing.writeHead(413).end();
      requests.push(request);
      const fault = faults.shift();
      if (typeof fault === 'string') return breakDown(fault, incoming, outgoing);
      return write(outgoing, fault ?? (await answer(request)));
    });
  });
  // A test that starts programs can block for seconds. A client must not reuse a connection that is
  // being closed.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    failNext: (fault, times = 1) => {
      for (let time = 0; time < times; time += 1) faults.push(fault);
    },
    recover: () => void faults.splice(0),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ProviderRequest | null> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes > bodyBytesMax) return null;
    parts.push(part);
  }
  const { method = '', url: path = '', headers } = incoming;
  return { method, path, headers, body: Buffer.concat(parts) };
}

function write(
  outgoing: ServerResponse,
  { status, headers, body, text, bytes }: ProviderAnswer,
): void {
  const content = bytes ?? text ?? (body === undefined ? '' : JSON.stringify(body));
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  outgoing.writeHead(status, { ...type, ...headers }).end(content);
}

function breakDown(
  fault: 'hang' | 'reset' | 'trickle',
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  if (fault === 'reset') incoming.socket.resetAndDestroy();
  if (fault !== 'trickle') return;
  outgoing.writeHead(200, { 'Content-Type': 'application/json' });
  const drip = setInterval(() => outgoing.write(' '), 20);
  outgoing.on('close', () => clearInterval(drip));
}
