import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A provider on loopback: hands each request to its rules, and to a planned fault before them. */
export interface Provider {
  readonly url: string;
  readonly received: ProviderRequest[];
  /** The next requests meet these instead: a status, or no answer at all. */
  readonly faults: (ProviderAnswer | 'reset')[];
  stop(): Promise<void>;
}

export async function startProvider(
  rules: (request: ProviderRequest) => ProviderAnswer,
): Promise<Provider> {
  const received: ProviderRequest[] = [];
  const faults: Provider['faults'] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(parts).toString() };
      received.push(one);
      const fault = faults.shift();
      if (fault === 'reset') return void request.socket.destroy();
      const { status, headers: extra, body } = fault ?? rules(one);
      response.writeHead(status, { 'content-type': 'application/json', ...extra });
      response.end(body === undefined ? '' : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    faults,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
