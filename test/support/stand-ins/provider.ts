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
  /** Sent as JSON; nothing when absent. */
  readonly body?: unknown;
  /** Sent as it is, in place of a body. */
  readonly text?: string;
  /** Sent as they are, in place of a body. */
  readonly bytes?: Uint8Array;
}

/**
 * What goes wrong instead of an answer: another answer, none at all, a broken connection, or one
 * whose bytes come so slowly that the connection is never silent.
 */
export type Fault = ProviderAnswer | 'hang' | 'reset' | 'trickle';

/**
 * How long to wait for a stand-in that fails so: where nothing ends the wait but its limit that is
 * short, and what is answered after it is asked for until it comes; else no busy machine meets it.
 */
export const patienceMsWith = (fault: unknown): number =>
  fault === 'hang' || fault === 'trickle' ? 500 : 60_000;

export interface Provider {
  readonly url: string;
  /** Every request that came, in order, also those that met a fault. */
  readonly requests: readonly ProviderRequest[];
  /** The next so many requests meet this fault instead of the protocol. */
  failNext(fault: Fault, times?: number): void;
  /** From now on no request meets a fault. */
  recover(): void;
  stop(): Promise<void>;
}

const bodyBytesMax = 30_000_000;

/** Serves one provider's protocol on a port of its own: `answer` is that protocol, and is pure. */
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
  // A test that starts programs hears nothing for seconds: a client must not meet one that closes.
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
