import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfKey } from '../../../api/http/idempotency.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, farewell } from '../events/connect.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let at: string;
beforeAll(async () => {
  account = await newAccount(`rotate-${process.pid}-${Date.now()}`);
  at = `/v2/accounts/${account.account_id}/api-keys`;
});
afterAll(() => db.end());
endSockets();

interface Made {
  readonly id: string;
  readonly key: string;
}

const madeOf = ({ body }: Answer): Made => ({
  id: String(body['key_id']),
  key: String(body['api_key']),
});
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const create = async (more: object = {}, token = account.api_key): Promise<Made> =>
  madeOf(await call('POST', at, { token, body: { name: 'records', roles: ['VIEWER'], ...more } }));
const rotate = (id: string, body?: unknown, token = account.api_key, headers = {}) =>
  call('POST', `${at}/${id}/rotate`, { token, headers, ...(body === undefined ? {} : { body }) });
const statusOf = async (key: string): Promise<number> =>
  (await call('GET', `/v2/accounts/${account.account_id}`, { token: key })).status;
const secondsFromNow = (date: unknown): number => (Date.parse(String(date)) - Date.now()) / 1000;

async function rowOf(id: string): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await call('GET', `${at}?page_size=100`, { token: account.api_key });
  const rows = body['items'] as { key_id: string }[];
  return { ...rows.find(({ key_id }) => key_id === id) };
}

describe('the rotation of an API key', () => {
  it('creates a key with the same rights while the old one works for a day', async () => {
    const old = await create({ roles: ['VIEWER', 'MEMBER'] });
    const answer = await rotate(old.id);
    expect(answer.status).toBe(201);
    const { id, key } = madeOf(answer);
    const before = await rowOf(old.id);
    expect(answer.body).toEqual({
      ...before,
      key_id: id,
      api_key: key,
      created_at: expect.any(String),
      created_by: account.api_key.slice(0, 20),
      expires_at: null,
      last_used_at: null,
      replaced_by: null,
    });
    expect(id).not.toBe(old.id);
    expect([await statusOf(old.key), await statusOf(key)]).toEqual([200, 200]);
    expect(before['replaced_by']).toBe(id);
    expect(Math.abs(secondsFromNow(before['expires_at']) - 24 * 3600)).toBeLessThan(60);
    const told = (await audited(account)).filter(({ object_id }) =>
      [id, old.id].includes(object_id),
    );
    expect(told.map(({ action, object_id }) => [action, object_id])).toEqual([
      ['api_key.rotated', old.id],
      ['api_key.created', id],
      ['api_key.created', old.id],
    ]);
    expect(told[0]?.details).toEqual({
      to: { replaced_by: id, expires_at: before['expires_at'] },
    });
  });

  it('with no overlap ends the old key and its sockets at once', async () => {
    const old = await create();
    const socket = await connect(old.key);
    const said = farewell(socket);
    const { key } = madeOf(await rotate(old.id, { expires_in: 0 }));
    expect([await statusOf(old.key), await statusOf(key)]).toEqual([401, 200]);
    await eventually('the end of the socket', async () => said.code);
    expect(said.code).toBe('revoked');
  });

  it('ends the old key after the overlap', async () => {
    const old = await create();
    await rotate(old.id, { expires_in: 2 });
    expect(await statusOf(old.key)).toBe(200);
    await eventually('the end', async () => (await statusOf(old.key)) === 401 || null);
  });

  it('never extends an expiry', async () => {
    const expires_at = new Date(Date.now() + 3600_000).toISOString();
    const old = await create({ expires_at });
    const answer = await rotate(old.id, { expires_in: 7 * 24 * 3600 });
    expect(answer.body['expires_at']).toBe(expires_at);
    expect((await rowOf(old.id))['expires_at']).toBe(expires_at);
  });

  it.each([[{ expires_in: -1 }], [{ expires_in: 604_801 }], [{ expires_in: 1.5 }], [{ after: 1 }]])(
    'is refused with %j',
    async (body) => {
      const old = await create();
      expect((await rotate(old.id, body)).status).toBe(422);
      expect((await rowOf(old.id))['replaced_by']).toBeNull();
    },
  );

  it('is refused for a key that is rotated, revoked, expired or unknown', async () => {
    const [rotated, revoked, expired] = [await create(), await create(), await create()];
    const first = madeOf(await rotate(rotated.id));
    const again = await rotate(rotated.id);
    expect([...outcome(again), again.body['replaced_by']]).toEqual([409, 'key_rotated', first.id]);
    await call('DELETE', `${at}/${revoked.id}`, { token: account.api_key });
    expect(outcome(await rotate(revoked.id))).toEqual([409, 'key_ended']);
    await db.query('UPDATE api_keys SET expires_at = now() WHERE key_id = $1', [expired.id]);
    expect(outcome(await rotate(expired.id))).toEqual([409, 'key_ended']);
    for (const id of [foreign.api_key.slice(0, 20), 'tk_live_000000000000']) {
      expect(outcome(await rotate(id))).toEqual([404, 'not_found']);
    }
  });

  it('succeeds once for concurrent callers', async () => {
    const old = await create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(old.id)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    const won = answers.find(({ status }) => status === 201);
    expect((await rowOf(old.id))['replaced_by']).toBe(won?.body['key_id']);
  });

  it('returns the same key for the same Idempotency-Key', async () => {
    const old = await create();
    const headers = { 'idempotency-key': `rotate-${process.pid}-${Date.now()}` };
    const first = await rotate(old.id, { expires_in: 60 }, account.api_key, headers);
    // Simulates a crash before the answer: the seed of the request is the same.
    const scope = [account.api_key.slice(0, 20), account.account_id];
    const { rowCount } = await db.query(
      `UPDATE idempotency_keys SET state = 'running', response_sealed = NULL,
         locked_until = now() - interval '1 minute' WHERE state = 'done' AND id = $1`,
      [idOfKey({ scope, operation: 'api-keys.rotate', key: headers['idempotency-key'] })],
    );
    expect(rowCount).toBe(1);
    const again = await rotate(old.id, { expires_in: 60 }, account.api_key, headers);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.body).toEqual(first.body);
  });

  it('is refused if the caller may not create such a key', async () => {
    const old = await create({ roles: ['ADMIN'] });
    const expires_at = new Date(Date.now() + 3600_000).toISOString();
    const ending = await create({ roles: ['ADMIN'], expires_at });
    const later = await rotate(old.id, {}, ending.key);
    expect([later.status, later.body['detail']]).toMatchObject([
      422,
      [{ loc: ['path', 'key_id'] }],
    ]);
    expect((await rotate(ending.id, {}, ending.key)).status).toBe(201);
    const member = await newCertUser(db, account.account_id, ['MEMBER']);
    expect(outcome(await rotate(old.id, {}, member.token))).toEqual([403, 'role_required']);
    const test = await create({ livemode: false, roles: ['ADMIN'] });
    expect(outcome(await rotate(test.id, {}, test.key))).toEqual([403, 'live_key_required']);
    const rotated = madeOf(await rotate(test.id));
    expect(rotated.key.startsWith('tk_test_')).toBe(true);
  });
});
