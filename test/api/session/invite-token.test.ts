import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { call, type Answer } from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const rawJwt = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.e30.c2lnbmF0dXJl`;
const create = (body: unknown): Promise<Answer> =>
  call('POST', '/create_invite_exchange_token', { body });
const exchange = (body: unknown, from = '203.0.113.1'): Promise<Answer> =>
  call('POST', '/exchange_invite_token', { body, headers: { 'x-forwarded-for': from } });
async function newToken(): Promise<string> {
  const { status, body } = await create({ raw_jwt: rawJwt });
  expect(status).toBe(200);
  return String(body['token']);
}

describe('an invite token', () => {
  it('returns its JWT once and is valid for five minutes', async () => {
    const before = Date.now();
    const { status, body, headers } = await create({ raw_jwt: rawJwt });
    expect([status, Object.keys(body)]).toEqual([200, ['token', 'expires_at']]);
    expect(body['token']).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    const lifeMs = Date.parse(String(body['expires_at'])) - before;
    expect(lifeMs).toBeGreaterThan(299_000);
    expect(lifeMs).toBeLessThan(330_000);
    const first = await exchange({ token: body['token'] });
    expect([first.status, first.body]).toEqual([200, { raw_jwt: rawJwt }]);
    const second = await exchange({ token: body['token'] });
    expect([second.status, second.body['code']]).toEqual([404, 'not_found']);
  });

  it('is created once per Idempotency-Key, which must be long without a credential', async () => {
    const own: string = randomUUID();
    const ask = (body: unknown, key = own): Promise<Answer> =>
      call('POST', '/create_invite_exchange_token', { body, headers: { 'idempotency-key': key } });
    const [first, again] = [await ask({ raw_jwt: rawJwt }), await ask({ raw_jwt: rawJwt })];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await ask({ raw_jwt: `${rawJwt}A` });
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_mismatch']);
    const guessed = await ask({ raw_jwt: rawJwt }, 'order-1');
    expect(guessed.status).toBe(422);
    expect(guessed.text).toContain('idempotency_key_invalid');
  });

  it('is rate-limited by address', async () => {
    const from = `198.18.${process.pid % 250}.8`;
    await db.query('INSERT INTO rate_limits (key, points, expire) VALUES ($1, 599, $2::bigint)', [
      `session.createInvite:${from}`,
      Date.now() + 60_000,
    ]);
    const ask = (address: string): Promise<Answer> =>
      call('POST', '/create_invite_exchange_token', {
        body: { raw_jwt: rawJwt },
        headers: { 'x-forwarded-for': address },
      });
    const answers = [await ask(from), await ask(from), await ask(`${from}8`)];
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [200, undefined],
      [429, 'rate_limited'],
      [200, undefined],
    ]);
  });

  it('gets the same 404 if it is unknown, used or expired', async () => {
    const old = await newToken();
    await db.query('UPDATE invite_tokens SET expires_at = now()');
    const used = await newToken();
    await exchange({ token: used });
    const answers = await Promise.all(
      [old, used, 'unknown', 'a'.repeat(43)].map(async (token) => exchange({ token })),
    );
    for (const { status, body } of answers) {
      expect([status, body['code'], body['detail']]).toEqual([
        404,
        'not_found',
        'No such token, or this caller may not see it.',
      ]);
    }
  });

  it('is exchanged by one of fifty concurrent callers, in each of twenty rounds', async () => {
    for (let round = 0; round < 20; round += 1) {
      const token = await newToken();
      // One address per round, so that the rate limit does not interfere.
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => exchange({ token }, `203.0.113.${100 + round}`)),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 404)).toHaveLength(49);
    }
  });

  it('is not stored in plain text, and neither is its JWT', async () => {
    const token = await newToken();
    const { rows } = await db.query<{ row: string }>(
      "SELECT t::text || encode(jwt_sealed, 'escape') AS row FROM invite_tokens t",
    );
    const kept = rows.map(({ row }) => row).join('\n');
    for (const text of [token, rawJwt, Buffer.from(token).toString('hex')]) {
      expect(kept).not.toContain(text);
    }
    expect((await exchange({ token })).status).toBe(200);
  });

  it.each([
    ['no JWT', { raw_jwt: 'nonsense' }],
    ['two parts', { raw_jwt: 'a.b' }],
    ['five parts', { raw_jwt: 'a.b.c.d.e' }],
    ['an empty part', { raw_jwt: 'a..c' }],
    ['a line after it', { raw_jwt: `${rawJwt}\n` }],
    ['padding', { raw_jwt: 'YQ==.YQ==.YQ==' }],
    ['more than 8 KiB', { raw_jwt: `a.${'b'.repeat(8 * 1024)}.c` }],
    ['another type', { raw_jwt: { a: 1 } }],
    ['none', {}],
  ])('is not created from %s', async (_what, body) => {
    const { status, body: answer } = await create(body);
    expect(status).toBe(422);
    const [fault] = answer['detail'] as { loc: string[] }[];
    expect(fault?.loc).toEqual(['body', 'raw_jwt']);
  });

  it.each([[{}], [{ token: '' }], [{ token: 7 }], [{ token: 'a'.repeat(257) }]])(
    'is not exchanged for %j',
    async (body) => {
      expect((await exchange(body)).status).toBe(422);
    },
  );

  it('ignores an invalid credential', async () => {
    const bodies = { create: { raw_jwt: rawJwt }, exchange: { token: await newToken() } };
    for (const [name, body] of Object.entries(bodies)) {
      const path = name === 'create' ? '/create_invite_exchange_token' : '/exchange_invite_token';
      expect((await call('POST', path, { body, token: 'nonsense' })).status).toBe(200);
    }
  });
});
