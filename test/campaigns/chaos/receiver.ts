import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A customer’s webhook endpoint that can keep its senders waiting. */
export interface Receiver {
  readonly url: string;
  /** The digests of the bodies received under each id; more than one per id is a fault. */
  bodies(): ReadonlyMap<string, ReadonlySet<string>>;
  /** Number of requests with an invalid signature. */
  forged(): number;
  /** Stops answering from now on, and returns the number of waiting requests. */
  hold(): void;
  held(): number;
  release(): void;
  trust(secret: string): void;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const bodies = new Map<string, Set<string>>();
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  let held = 0;
  let forged = 0;
  let webhook: Webhook | null = null;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request);
    const headers = request.headers as Record<string, string>;
    if (!isSigned(webhook, body, headers)) forged += 1;
    const id = headers['webhook-id'] ?? '';
    const seen = bodies.get(id) ?? new Set<string>();
    bodies.set(id, seen.add(createHash('sha256').update(body).digest('hex')));
    held += 1;
    await gate.promise;
    held -= 1;
    response.writeHead(200).end();
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    bodies: () => bodies,
    forged: () => forged,
    hold() {
      gate = Promise.withResolvers<void>();
    },
    held: () => held,
    release: () => gate.resolve(),
    trust(secret) {
      webhook = new Webhook(secret);
    },
    async stop() {
      gate.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function isSigned(webhook: Webhook | null, body: string, headers: Record<string, string>): boolean {
  try {
    webhook?.verify(body, headers);
    return webhook !== null;
  } catch {
    return false;
  }
}
