import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a gate does instead of forwarding a call. */
export type Act =
  /** Answers in place of the service, as an overloaded proxy does. */
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Closes the connection before anything is forwarded. */
  | 'refuse'
  /** Forwards the call, and closes the connection instead of answering. */
  | 'lose'
  /** Forwards the call, and closes the connection in the middle of the answer. */
  | 'cut'
  /** Accepts the call and never answers. */
  | 'hang';

export interface GateCall {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** A reverse proxy in front of a service, with faults on demand. */
export interface Gate {
  readonly url: string;
  /** Every received call, in order. */
  readonly calls: readonly GateCall[];
  /** Sets the faults of the next calls, one each. */
  next(...acts: Act[]): void;
  stop(): Promise<void>;
}

/** Opens a gate to the service at `origin`. */
export async function openGate(origin: string): Promise<Gate> {
  const calls: GateCall[] = [];
  const acts: Act[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: target = '', headers } = incoming;
    calls.push({ method, target, headers });
    const act = acts.shift();
    if (act === 'hang') return;
    if (act === 'refuse') return void incoming.socket.destroy();
    if (typeof act !== 'object') return handOn(origin, incoming, outgoing, act);
    incoming.resume();
    outgoing.writeHead(act.status, act.headers).end(act.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    next: (...more) => void acts.push(...more),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function handOn(
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  act: 'lose' | 'cut' | undefined,
): void {
  const { method, headers, url = '' } = incoming;
  const upstream = request(new URL(url, origin), { method, headers }, (answer) => {
    const { statusCode = 502 } = answer;
    if (act === 'lose') {
      // The answer arrived, so the service has executed the call.
      answer.resume();
      answer.once('end', () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(statusCode, answer.headers);
    if (act === undefined) return void answer.pipe(outgoing);
    answer.once('data', (part: Buffer) => {
      outgoing.write(part.subarray(0, Math.ceil(part.length / 2)), () => incoming.socket.destroy());
    });
  });
  upstream.once('error', () => incoming.socket.destroy());
  incoming.pipe(upstream);
}
