import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../db/client.ts';
import { beginSession, call, collecting, newLink } from '../../support/http/client.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { newMember } from '../../support/people/members.ts';
import { newKey } from '../../support/people/samples.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connect, endSockets, farewell, follow, subscribe } from './connect.ts';

const { own, foreign, databaseUrl, baseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const streamOf = ({ id }: { readonly id: string }): string => `trust-check:${id}`;
const idOf = (key: string): string => key.slice(0, 'tk_live_'.length + 12);
let live: SecondApi;

beforeAll(async () => {
  live = await startSecondApi({}, {}, { recheckMs: 300 });
});
afterAll(async () => {
  await live.stop();
  await db.end();
});
endSockets();

describe('a stream', () => {
  it('counts once toward the limit of fifty, and has one spelling', async () => {
    const { token } = await newEmailUser(db, { [own.account_id]: ['POLYADMIN'] });
    const socket = await connect(token);
    const ask = (id: number | string) => subscribe(socket, { stream: `account:${id}` });
    for (let id = 1; id <= 49; id += 1) expect(await ask(id)).toMatchObject({ ok: true });
    for (const id of ['0', '01', `0${own.account_id}`, '-1', '12345678901']) {
      expect(await ask(id)).toEqual({ ok: false, code: 'not_found' });
    }
    const refused = { stream: 'account:50', after: Number.MAX_SAFE_INTEGER };
    expect(await subscribe(socket, refused)).toEqual({ ok: false, code: 'invalid_state' });
    expect(await ask(50)).toMatchObject({ ok: true });
    expect(await ask(51)).toEqual({ ok: false, code: 'rate_limited' });
    expect(await ask(1)).toMatchObject({ ok: true });
  });
});

describe('a position in a stream', () => {
  it('beyond its end is refused, without effect on other subscribers', async () => {
    const session = await beginSession(await newLink());
    const stream = streamOf(session);
    const hostile = await connect(session.token);
    for (const after of [2, Number.MAX_SAFE_INTEGER]) {
      const refused = { ok: false, code: 'invalid_state' };
      expect(await subscribe(hostile, { stream, after })).toEqual(refused);
    }
    const socket = await connect(session.token);
    const seen = follow(socket);
    expect(await subscribe(socket, { stream, after: 1 })).toEqual({ ok: true, head: 1 });
    expect(await subscribe(hostile, { stream, after: 9 })).toMatchObject({ ok: false });
    await session.step('open');
    await eventually('the live event', async () => seen.length > 0);
    expect(seen.map(({ position }) => position)).toEqual([2]);
  });

  it('is kept while the log is read and another socket disconnects', async () => {
    const session = await beginSession(await newLink());
    const [socket, other] = await Promise.all([connect(session.token), connect(own.api_key)]);
    const seen = follow(socket);
    const joined = await transaction(db, async (tx) => {
      await tx.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      const answer = subscribe(socket, { stream: streamOf(session) });
      await sleep(300);
      other.disconnect();
      await sleep(300);
      return { answer };
    });
    expect(await joined.answer).toEqual({ ok: true, head: 1 });
    await session.step('open');
    await eventually('the live event', async () => seen.length > 1);
  });
});

describe('a replay', () => {
  it('proceeds at the pace of its reader', async () => {
    const session = await collecting(await newLink());
    const total = 4_000;
    // A long history by size, far larger than the buffers of a connection.
    await db.query(
      `WITH last AS (SELECT * FROM events WHERE stream = $1 ORDER BY seq DESC LIMIT 1),
       more AS (INSERT INTO events (event_id, stream, seq, account_id, account_seq, type, livemode,
                                    object_id, data, created_at)
         SELECT 'evt_' || gen_random_uuid(), stream, n, account_id, 0, type, livemode, object_id,
                jsonb_build_object('object', jsonb_build_object('filler', repeat('x', 8000))),
                created_at
         FROM last, generate_series(seq + 1, $2) n RETURNING 1)
       UPDATE streams SET seq = $2 WHERE stream = $1 AND (SELECT count(*) FROM more) > 0`,
      [streamOf(session), total],
    );
    const replayed = async (): Promise<number> => {
      const { values } = await live.metrics.replayedEvents.get();
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    const before = await replayed();
    const socket = await connect(session.token, { at: live.origin });
    const seen = follow(socket);
    const { ws } = socket.io.engine.transport as unknown as {
      ws: { pause(): void; resume(): void };
    };
    ws.pause();
    const answer = subscribe(socket, { stream: streamOf(session) });
    await sleep(3_000);
    expect((await replayed()) - before).toBeLessThan(total);
    ws.resume();
    expect(await answer).toEqual({ ok: true, head: total });
    await eventually('the whole replay', async () => seen.length === total);
    expect(seen.map(({ position }) => position)).toEqual(seen.map((_event, index) => index + 1));
  });
});

describe('a socket is closed', () => {
  const ends = async (token: string, spoil: () => Promise<unknown>): Promise<string | null> => {
    const socket = await connect(token, { at: live.origin });
    const said = farewell(socket);
    const bystander = await connect(own.api_key, { at: live.origin });
    await spoil();
    await eventually('the end', async () => !socket.connected);
    expect(bystander.connected).toBe(true);
    return said.code;
  };

  it('when the API key is revoked', async () => {
    const key = await newKey(['VIEWER']);
    const revoke = 'UPDATE api_keys SET revoked_at = now() WHERE key_id = $1';
    expect(await ends(key, () => db.query(revoke, [idOf(key)]))).toBe('revoked');
  });

  it('when the API key expires', async () => {
    const key = await newKey(['VIEWER']);
    await db.query(
      `UPDATE api_keys SET expires_at = now() + interval '2 seconds' WHERE key_id = $1`,
      [idOf(key)],
    );
    // The platform's own API rechecks too rarely to close the socket in time.
    const socket = await connect(key);
    const said = farewell(socket);
    await eventually('the end', async () => !socket.connected);
    expect(said.code).toBe('expired');
  });

  it('when the API key loses a role', async () => {
    const key = await newKey(['VIEWER', 'MEMBER']);
    const take = `UPDATE api_keys SET roles = '{VIEWER}' WHERE key_id = $1`;
    expect(await ends(key, () => db.query(take, [idOf(key)]))).toBe('revoked');
  });

  it('when its session ends early', async () => {
    const { token, losses } = await newMember(db);
    for (const [what, { take, give }] of Object.entries(losses)) {
      expect(await ends(token, take), what).toBe('revoked');
      // A new connection is refused too: no cached result admits it.
      await expect(connect(token, { at: live.origin })).rejects.toThrow('credential_invalid');
      await give();
      expect((await connect(token, { at: live.origin })).connected).toBe(true);
    }
  });
});

describe('a caller', () => {
  it('below VIEWER cannot subscribe to any stream', async () => {
    const session = await beginSession(await newLink());
    const socket = await connect(await newKey([]));
    for (const stream of [`account:${own.account_id}`, streamOf(session)]) {
      expect(await subscribe(socket, { stream })).toEqual({ ok: false, code: 'role_required' });
    }
    const stranger = { stream: `account:${foreign.account_id}` };
    expect(await subscribe(socket, stranger)).toEqual({ ok: false, code: 'not_found' });
  });
});

describe('a web page', () => {
  const pages = {
    own: 'https://app.own.example.test',
    foreign: 'https://app.foreign.example.test',
  };
  const list = (how: 'array_append' | 'array_remove') =>
    Promise.all(
      [
        [own.app_id, pages.own],
        [foreign.app_id, pages.foreign],
      ].map((values) =>
        db.query(
          `UPDATE apps SET allowed_origins = ${how}(allowed_origins, $2) WHERE app_id = $1`,
          values,
        ),
      ),
    );
  beforeAll(() => list('array_append'));
  afterAll(() => list('array_remove'));

  it('of this origin or an origin of the app can follow a session', async () => {
    const { token } = await beginSession(await newLink());
    const { origin: ours } = new URL(baseUrl);
    for (const origin of [ours, ours.replace('127.0.0.1', 'localhost'), pages.own]) {
      expect((await connect(token, { origin })).connected).toBe(true);
    }
  });

  it('of another origin cannot connect', async () => {
    const { token } = await beginSession(await newLink());
    const origin = pages.foreign;
    await expect(connect(token, { origin })).rejects.toThrow('credential_invalid');
    for (const unknown of ['https://unknown.example.test', 'null', 'x'.repeat(300)]) {
      await expect(connect(token, { origin: unknown })).rejects.toThrow('websocket error');
    }
    const ofApp = { origin: pages.own };
    await expect(connect(own.api_key, ofApp)).rejects.toThrow('credential_invalid');
    await expect(connect(own.admin.session_token, ofApp)).rejects.toThrow('credential_invalid');
  });

  it('can read over HTTP exactly the sessions that it may follow', async () => {
    const session = await beginSession(await newLink());
    const told = async (method: string, path: string, origin: string, token?: string) => {
      const answer = await call(method, path, { headers: { origin }, ...(token ? { token } : {}) });
      return answer.headers.get('access-control-allow-origin');
    };
    const path = `/v2/trust-checks/${session.id}`;
    const unknown = 'https://unknown.example.test';
    expect(await told('GET', path, pages.own, session.token)).toBe(pages.own);
    expect(await told('POST', `${path}/open`, pages.own, session.token)).toBe(pages.own);
    for (const origin of [pages.foreign, unknown]) {
      expect(await told('GET', path, origin, session.token)).toBeNull();
      expect(await told('POST', `${path}/open`, origin, session.token)).toBeNull();
    }
    // Any allowed origin can read a refusal, and a preflight does not reveal the check.
    expect(await told('GET', path, pages.own, `${session.token}x`)).toBe(pages.own);
    for (const [origin, allowed] of [
      [pages.foreign, pages.foreign],
      [unknown, null],
    ] as const) {
      const preflight = await fetch(`${baseUrl}${path}`, {
        method: 'OPTIONS',
        headers: { origin },
      });
      expect(preflight.headers.get('access-control-allow-origin')).toBe(allowed);
      expect(preflight.headers.get('request-id')).toMatch(/^req_/);
    }
  });
});
