import { setTimeout as sleep } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import type { Change } from './changes.ts';
import { socketAuth } from '../../../support/http/browser-keys.ts';

interface Received {
  readonly position: number;
  readonly object_id: string;
  readonly data: { readonly object: { readonly sequence: number } };
}

export interface Arrivals {
  /** Milliseconds from the start of a change to its event, in the order of the changes. */
  readonly latenciesMs: number[];
  readonly lost: number;
}

/** A thousand clients, each following the stream of one session. */
export interface Listeners {
  /** Waits for the events of these changes. */
  arrivalsOf(changes: readonly Change[]): Promise<Arrivals>;
  /** Number of events that came twice or out of order. */
  misplaced(): number;
  close(): void;
}

const connectAtOnce = 50;
const stragglerMsMax = 10_000;
const pollMs = 20;

const keyOf = (sessionId: string, sequence: number): string => `${sessionId}|${sequence}`;

/** Connects one client per session and subscribes it to the stream of the session. */
export async function listen(url: string, tokens: ReadonlyMap<string, string>): Promise<Listeners> {
  const arrived = new Map<string, bigint>();
  const sockets: Socket[] = [];
  let misplaced = 0;
  const open = async (sessionId: string, token: string): Promise<void> => {
    const socket = io(url, {
      transports: ['websocket'],
      auth: await socketAuth(url, token),
      forceNew: true,
      reconnection: false,
    });
    sockets.push(socket);
    let last: number | null = null;
    socket.on('event', (event: Received) => {
      arrived.set(keyOf(event.object_id, event.data.object.sequence), process.hrtime.bigint());
      if (last !== null && event.position !== last + 1) misplaced += 1;
      last = event.position;
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', reject);
    });
    const stream = `trust-check:${sessionId}`;
    const answer: unknown = await socket.timeout(30_000).emitWithAck('subscribe', { stream });
    const isIn = typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok;
    if (!isIn) throw new Error(`not subscribed: ${JSON.stringify(answer)}`);
  };
  const waiting = [...tokens];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await open(...next);
  };
  await Promise.all(Array.from({ length: connectAtOnce }, lane));
  return {
    async arrivalsOf(changes) {
      const deadline = performance.now() + stragglerMsMax;
      const isHere = (change: Change): boolean =>
        arrived.has(keyOf(change.sessionId, change.sequence));
      while (!changes.every(isHere) && performance.now() < deadline) await sleep(pollMs);
      const latenciesMs: number[] = [];
      for (const { sessionId, sequence, startedNs } of changes) {
        const at = arrived.get(keyOf(sessionId, sequence));
        if (at !== undefined) latenciesMs.push(Number(at - startedNs) / 1e6);
      }
      return { latenciesMs, lost: changes.length - latenciesMs.length };
    },
    misplaced: () => misplaced,
    close() {
      for (const socket of sockets) socket.disconnect();
    },
  };
}
