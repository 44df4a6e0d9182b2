import { io, type Socket } from 'socket.io-client';
import { afterEach } from 'vitest';
import { socketAuth } from '../../support/http/browser-keys.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
const sockets: Socket[] = [];

/** An event as received on a socket. */
export interface Seen {
  readonly event_id: string;
  readonly type: string;
  readonly sequence: number;
  readonly position: number;
}

interface ConnectOptions {
  readonly at?: string;
  readonly origin?: string;
  /** Replaces the proof that the token's browser signs. */
  readonly proof?: unknown;
  readonly isUnsigned?: boolean;
}

/**
 * Connects a socket to the platform, or to the API at `at` and from a page of `origin`. It is
 * closed after the test.
 */
export async function connect(
  token: unknown,
  { at, origin, proof, isUnsigned = false }: ConnectOptions = {},
): Promise<Socket> {
  const socket = io(at ?? baseUrl, {
    transports: ['websocket'],
    auth: isUnsigned
      ? { token }
      : proof === undefined
        ? await socketAuth(baseUrl, token)
        : { token, proof },
    reconnection: false,
    forceNew: true,
    ...(origin === undefined ? {} : { extraHeaders: { origin } }),
  });
  sockets.push(socket);
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('connect_error', reject);
  });
}

export function follow(socket: Socket): Seen[] {
  const seen: Seen[] = [];
  socket.on('event', (event: Seen) => seen.push(event));
  return seen;
}

/** Returns the code of the socket's goodbye message, null until it arrives. */
export function farewell(socket: Socket): { code: string | null } {
  const said: { code: string | null } = { code: null };
  socket.on('bye', ({ code }: { code: string }) => {
    said.code = code;
  });
  return said;
}

export const subscribe = (
  socket: Socket,
  request: unknown,
): Promise<{ ok: boolean; code?: string; head?: number }> =>
  socket.timeout(20_000).emitWithAck('subscribe', request);

/** Closes the sockets after each test of a file. */
export function endSockets(): void {
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.disconnect();
  });
}
