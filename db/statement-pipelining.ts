import { Writable } from 'node:stream';
import type pg from 'pg';

/** Maximum number of statements that share one connection. Further statements use another one. */
const sharersMax = 8;

interface Sharer {
  /** Runs the statement and reports the result to its caller. Returns the error, or null. */
  ask(client: pg.PoolClient): Promise<Error | null>;
  refuse(error: unknown): void;
}

/** Separate queues, so that reads do not wait for commits of writes. */
const turns = { read: new WeakMap<pg.Pool, Sharer[]>(), write: new WeakMap<pg.Pool, Sharer[]>() };

export type Shared = keyof typeof turns;

/**
 * Runs a statement on a connection shared with the other statements of the same event-loop turn.
 * All go out in one write, each in its own transaction, and are answered in order. Under load, the
 * socket writes are most of the cost of a short statement. Each statement waits for those before
 * it, so use this only for fast statements that wait for locks only briefly.
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

/** Starts a batch: statements of the rest of this event-loop turn join it. */
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
  // Like the pool: close the connection after any error.
  client.release(faults.find((fault) => fault !== null));
}

/** Returns the socket of a connection, which the types of the driver do not expose. */
function socketOf(client: object): Writable | null {
  const connection = 'connection' in client ? client.connection : null;
  if (typeof connection !== 'object' || connection === null) return null;
  return 'stream' in connection && connection.stream instanceof Writable ? connection.stream : null;
}
