import { describe, expect, it } from 'vitest';
import {
  beginSession,
  call,
  newLink,
  passedSession,
  withAffidavit,
} from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, follow, subscribe, type Seen } from './connect.ts';

const { own, foreign } = ownPlatform();

endSockets();

describe('live events', () => {
  it('are replayed and continue live without gaps or repeats', async () => {
    const session = await beginSession(await newLink());
    await session.step('open');
    const socket = await connect(session.token);
    const seen = follow(socket);
    expect(
      await subscribe(socket, { stream: `trust-check:${session.id}`, after: 0 }),
    ).toMatchObject({ ok: true });
    await session.step('pair');
    await session.step('consent', { accepted: false, tos_version: '1' });
    await eventually('the last event', async () => seen.length >= 4);
    expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(seen.at(-1)?.type).toBe('trust_check.declined');
  });

  it('equal the events of the pull feed', async () => {
    const session = await passedSession();
    await withAffidavit(session);
    const socket = await connect(own.api_key);
    const seen = follow(socket);
    await subscribe(socket, { stream: `trust-check:${session.id}`, after: 2 });
    await eventually('the replay', async () => seen.length >= 6);
    const pulled = await call('GET', `/v2/events?stream=trust-check:${session.id}&after=2`, {
      token: own.api_key,
    });
    const items = pulled.body['items'] as Seen[];
    const bodies = seen.map((event) => ({ ...event, position: undefined }));
    expect(bodies).toEqual(items);
    const [first] = items;
    const one = await call('GET', `/v2/events/${first?.event_id}`, { token: own.api_key });
    expect(one.body).toEqual(first);
  });

  it.each([
    ['no token', undefined, 'credential_missing'],
    ['a wrong key', `tk_live_${'0'.repeat(12)}_${'0'.repeat(32)}`, 'credential_invalid'],
    ['garbage', 'x'.repeat(9000), 'credential_malformed'],
    ['not a string', { a: 1 }, 'credential_malformed'],
  ])('refuse %s', async (_name, token, code) => {
    await expect(connect(token)).rejects.toThrow(code);
  });

  it('refuse streams of other accounts and malformed requests', async () => {
    const session = await beginSession(await newLink());
    const other = await beginSession(await newLink());
    const socket = await connect(session.token);
    for (const request of [
      { stream: `trust-check:${other.id}` },
      { stream: `account:${own.account_id}` },
      { stream: 'link:x' },
      { stream: `trust-check:${session.id}`, after: -1 },
      { stream: `trust-check:${session.id}`, after: '-1' },
      { stream: `trust-check:${session.id}`, after: '1e1' },
      { stream: `trust-check:${session.id}`, after: 0.5 },
      { stream: `trust-check:${session.id}`, aftr: 1 },
      {},
      null,
      [],
    ]) {
      expect((await subscribe(socket, request)).ok).toBe(false);
    }
    // The position may be a string, as in the pull feed.
    const asText = { stream: `trust-check:${session.id}`, after: '1' };
    expect(await subscribe(socket, asText)).toEqual({ ok: true, head: 1 });
    const foreigner = await connect(foreign.api_key);
    expect((await subscribe(foreigner, { stream: `trust-check:${session.id}` })).ok).toBe(false);
    expect((await subscribe(foreigner, { stream: `account:${own.account_id}` })).ok).toBe(false);
  });
});

describe('the pull feed', () => {
  it('pages through the account without gaps', async () => {
    await passedSession();
    const positions: string[] = [];
    let after = '0';
    for (let page = 0; page < 100; page += 1) {
      const { body } = await call('GET', `/v2/events?after=${after}&limit=7`, {
        token: own.api_key,
      });
      positions.push(...(body['items'] as Seen[]).map(({ event_id }) => event_id));
      after = String(body['next_after']);
      if (!body['has_more']) break;
    }
    expect(new Set(positions).size).toBe(positions.length);
    expect(positions.length).toBeGreaterThan(5);
  });

  it('filters by type, also within a stream', async () => {
    const session = await passedSession();
    const typed = await call('GET', '/v2/events?types=trust_check.passed&limit=500', {
      token: own.api_key,
    });
    const types = (typed.body['items'] as Seen[]).map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['trust_check.passed']));
    const path = `/v2/events?stream=trust-check:${session.id}&types=trust_check.passed`;
    const narrow = await call('GET', path, { token: own.api_key });
    expect((narrow.body['items'] as Seen[]).map(({ type }) => type)).toEqual([
      'trust_check.passed',
    ]);
    expect((await call('GET', '/v2/events?types=nope', { token: own.api_key })).status).toBe(422);
    expect((await call('GET', '/v2/events?after=x', { token: own.api_key })).status).toBe(422);
    expect((await call('GET', '/v2/events')).status).toBe(401);
  });

  it('shows a stream of another account like one that does not exist', async () => {
    const session = await beginSession(await newLink());
    const streams = [`trust-check:${session.id}`, 'trust-check:tc_none', 'account:2147483647'];
    for (const stream of [...streams, `account:${own.account_id}`]) {
      const path = `/v2/events?stream=${stream}&after=0`;
      const { status, body } = await call('GET', path, { token: foreign.api_key });
      expect([status, body]).toEqual([200, { items: [], next_after: '0', has_more: false }]);
    }
  });
});
