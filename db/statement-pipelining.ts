import { Writable } from 'node:stream';
import type pg from 'pg';

/** How many share a connection at most: further ones take another. */
const sharersMax = 8;

interface Sharer {
  /** Gives what went wrong, if anything; whoever asked is told. */
  ask(client: pg.PoolClient): Promise<Error | null>;
  refuse(error: unknown): void;
}

/** Reads do not wait for what others commit. */
const turns = { read: new WeakMap<pg.Pool, Sharer[]>(), write: new WeakMap<pg.Pool, Sharer[]>() };

export type Shared = keyof typeof turns;

/**
 * Asks a statement on a connection that it shares with what is asked in the same turn of the event
 * loop: they go out in one write, each a transaction of its own, and are answered in order. Under
 * load the writes are most of what a short statement costs. One waits for those before it: only
 * what is quick belongs here, and what a lock keeps waiting for moments at most.
 */
export function pipelineStatement<Answer>(
  pool: pg.Pool,
  kind: Shared,
  query: (client: pg.PoolClient) => Promise<Answer>,
): Promise<Answer> {
  return new Promise((resolve, refuse) => {
    const ask = async (client: pg.PoolClient): Promise<Error | null> => {
      try {
        resolve(await query(client));
        return null;
      } catch (error) {
        refuse(error);
        return error instanceof Error ? error : new Error('a statement failed');
      }
    };
    const others = turns[kind].get(pool);
    if (others) others.push({ ask, refuse });
    else begin(pool, kind, { ask, refuse });
  });
}

/** Begins a turn: whoever asks in the rest of it shares. */
function begin(pool: pg.Pool, kind: Shared, first: Sharer): void {
  const all = [first];
  turns[kind].set(pool, all);
  setImmediate(() => {
    turns[kind].delete(pool);
    for (let at = 0; at < all.length; at += sharersMax) {
      void send(pool, all.slice(at, at + sharersMax));
    }
  });
}

async function send(pool: pg.Pool, sharers: readonly Sharer[]): Promise<void> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    for (const { refuse } of sharers) refuse(error);
    return;
  }
  const socket = socketOf(client);
  socket?.cork();
  const answers = sharers.map(({ ask }) => ask(client));
  socket?.uncork();
  const faults = await Promise.all(answers);
  // As the pool does: a connection is thrown away after any fault.
  client.release(faults.find((fault) => fault !== null));
}

/** What a connection writes to, which the types of the driver leave out. */
function socketOf(client: object): Writable | null {
  const connection = 'connection' in client ? client.connection : null;
  if (typeof connection !== 'object' || connection === null) return null;
  return 'stream' in connection && connection.stream instanceof Writable ? connection.stream : null;
}
