import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../api/realtime/semaphore.ts';
import { openDb, transaction, type Db } from '../../../db/client.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connect, endSockets, farewell, follow, subscribe } from './connect.ts';

const { own, databaseUrl } = ownPlatform();
const asked = { running: 0, names: [] as string[] };
let nowMs = Date.now();
let db: Db;
let few: Db;
let live: SecondApi;

/** Returns a small pool and records the names of its prepared statements. */
function fewConnections(): Db {
  const options = { url: databaseUrl, connectionsMax: 6, applicationName: 'floods' };
  const pool = openDb({ ...options, queryTimeoutMs: 3_000, connectMsMax: 10_000 }, () => undefined);
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  const note = async (...args: unknown[]): Promise<unknown> => {
    const [{ name }] = args as [{ name?: string }];
    if (name) asked.names.push(name);
    asked.running += 1;
    return query(...args).finally(() => (asked.running -= 1));
  };
  return Object.assign(pool, { query: note });
}

/** Sets the fixed clock to now, since the token of the session is not valid earlier. */
async function newSession() {
  const session = await beginSession(await newLink());
  nowMs = Date.now();
  return session;
}

beforeAll(async () => {
  db = openTestDb(databaseUrl);
  few = fewConnections();
  live = await startSecondApi({}, { db: few, clock: () => new Date(nowMs) }, { recheckMs: 60_000 });
});
beforeEach(() => {
  // The clock is fixed: limits recover only if a test moves it.
  nowMs = Date.now();
});
afterAll(async () => {
  await live.stop();
  await Promise.all([few.end(), db.end()]);
});
endSockets();

const unknown = { stream: 'link:x' };
const over = { ok: false, code: 'rate_limited' };

describe('a socket', () => {
  it('may send a hundred messages at once and ten per second afterwards', async () => {
    const socket = await connect(own.api_key, { at: live.origin });
    const many = (count: number) =>
      Promise.all(Array.from({ length: count }, () => subscribe(socket, unknown)));
    const refused = { ok: false, code: 'not_found' };
    const heard = (count: number): unknown[] => Array.from({ length: count }, () => refused);
    expect(await many(100)).toEqual(heard(100));
    expect(await many(3)).toEqual([over, over, over]);
    nowMs += 1_000;
    expect(await many(11)).toEqual([...heard(10), over]);
    nowMs += 3_600_000;
    expect(await many(101)).toEqual([...heard(100), over]);
    // Every message counts, whatever its name and even without an acknowledgment.
    const other = await connect(own.api_key, { at: live.origin });
    for (let sent = 0; sent < 100; sent += 1) other.emit('nonsense', sent);
    expect(await subscribe(other, unknown)).toEqual(over);
    expect(await other.timeout(20_000).emitWithAck('nonsense')).toEqual(over);
    expect(other.connected).toBe(true);
  });

  it('that keeps flooding is closed, without effect on others', async () => {
    const session = await newSession();
    const [socket, bystander] = await Promise.all(
      [session.token, own.api_key].map((token) => connect(token, { at: live.origin })),
    );
    if (!socket || !bystander) throw new Error('there are two');
    const said = farewell(socket);
    const stream = `trust-check:${session.id}`;
    const before = asked.names.length;
    for (let sent = 0; sent < 20_000; sent += 1) socket.emit('subscribe', { stream }, () => 0);
    expect(
      (
        await call('GET', `/v2/accounts/${own.account_id}`, {
          token: own.api_key,
          at: live.origin,
        })
      ).status,
    ).toBe(200);
    await eventually('the end', async () => !socket.connected);
    expect(said.code).toBe('rate_limited');
    expect(bystander.connected).toBe(true);
    expect(asked.names.slice(before).length).toBeLessThan(300);
  });

  it('handles one handshake at a time, and is closed if it floods before authentication', async () => {
    const address = `${live.origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    const socket = new WebSocket(address);
    const told: string[] = [];
    socket.addEventListener('message', ({ data }) => told.push(String(data)));
    await eventually('the opening', async () => told.length === 1);
    const greeting = `40${JSON.stringify({ token: own.api_key.replaceAll(/.$/g, '!') })}`;
    socket.send(greeting);
    socket.send(greeting);
    await eventually('both answers', async () => told.length === 3);
    const codes = told.slice(1).map((text) => /"code":"(\w+)"/.exec(text)?.[1] ?? '');
    expect(codes.toSorted()).toEqual(['credential_malformed', 'rate_limited']);
    const closed = once(socket, 'close');
    for (let sent = 0; sent < 200; sent += 1) socket.send(greeting);
    await closed;
  });
});

describe('a stream', () => {
  it('can be subscribed to once at a time', async () => {
    const session = await newSession();
    const stream = `trust-check:${session.id}`;
    const socket = await connect(session.token, { at: live.origin });
    const first = await transaction(db, async (tx) => {
      await tx.query('LOCK TABLE streams IN ACCESS EXCLUSIVE MODE');
      const answer = subscribe(socket, { stream });
      expect(await subscribe(socket, { stream })).toEqual(over);
      return { answer };
    });
    expect(await first.answer).toEqual({ ok: true, head: 1 });
  });

  it('costs one query to replay and none if nothing was missed', async () => {
    const session = await newSession();
    const stream = `trust-check:${session.id}`;
    const socket = await connect(session.token, { at: live.origin });
    const seen = follow(socket);
    const queriesOf = async (after: number): Promise<readonly string[]> => {
      const from = asked.names.length;
      const answer = await subscribe(socket, { stream, after });
      expect(answer).toEqual({ ok: true, head: 1 });
      // The sweep queries heads from time to time, independent of subscribers.
      return asked.names.slice(from).filter((name) => name.startsWith('events.list'));
    };
    await queriesOf(0);
    await eventually('what there was', async () => seen.length === 1 && asked.running === 0);
    expect(await queriesOf(0)).toEqual(['events.list_stream']);
    for (let time = 0; time < 3; time += 1) expect(await queriesOf(1)).toEqual([]);
    await session.step('open');
    await eventually('what comes after', async () => seen.length === 3);
    expect(seen.map(({ position }) => position)).toEqual([1, 1, 2]);
    expect(await subscribe(socket, { stream, after: 3 })).toMatchObject({ code: 'invalid_state' });
  });

  it('leaves connections to others under load, and reports a busy database', async () => {
    const session = await newSession();
    const stream = `trust-check:${session.id}`;
    const sockets = await Promise.all(
      Array.from({ length: 20 }, () => connect(session.token, { at: live.origin })),
    );
    const busy = await transaction(db, async (tx) => {
      await tx.query('LOCK TABLE streams IN ACCESS EXCLUSIVE MODE');
      const answers = sockets.map((socket) => subscribe(socket, { stream }));
      await eventually('all turns taken', async () => asked.running >= 4);
      const path = `/v2/accounts/${own.account_id}`;
      const others = { token: own.api_key, at: live.origin };
      for (const { status } of [await call('GET', path, others), await call('GET', path, others)]) {
        expect(status).toBe(200);
      }
      // Four turns, and at times the query of the sweep.
      expect(asked.running).toBeLessThanOrEqual(5);
      return { first: await answers[0], answers };
    });
    expect(busy.first).toEqual({ ok: false, code: 'dependency_unavailable' });
    const last = (await Promise.all(busy.answers)).at(-1);
    expect(last).toEqual({ ok: true, head: 1 });
  });
});

describe('createSemaphore', () => {
  it('runs in order, limits concurrency, and refuses when too many wait', async () => {
    const inTurn = createSemaphore({ atOnceMax: 2, waitingMax: 2, waitMsMax: 60_000 });
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const work = (place: number) =>
      inTurn(async () => {
        begun.push(place);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (place === 1) throw new Error('of the work');
        return place;
      });
    const all = [0, 1, 2, 3].map(work);
    const failed = expect(all[1]).rejects.toThrow('of the work');
    await expect(work(4)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await expect.poll(() => begun).toEqual([0, 1]);
    ends[1]?.();
    await failed;
    await expect.poll(() => begun).toEqual([0, 1, 2]);
    for (const end of ends) end();
    await expect.poll(() => ends.length).toBe(4);
    ends[3]?.();
    expect(await Promise.all([all[0], all[2], all[3]])).toEqual([0, 2, 3]);
  });

  it('drops work that waits too long, without blocking others', async () => {
    const inTurn = createSemaphore({ atOnceMax: 1, waitingMax: 9, waitMsMax: 20 });
    let end = (): void => undefined;
    const first = inTurn(() => new Promise<void>((resolve) => (end = resolve)));
    const late = inTurn(async () => 'late');
    await expect(late).rejects.toMatchObject({ code: 'dependency_unavailable' });
    end();
    await first;
    expect(await inTurn(async () => 'next')).toBe('next');
  });
});
