import { beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { enroll, newPhone } from '../../support/checks/phone.ts';
import { call } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  readonly pages: number;
}

let account: Seed;
let at: string;

beforeAll(async () => {
  account = await newAccount(`paged-${process.pid}`);
  at = `/v2/accounts/${account.account_id}/webhook-endpoints`;
});

async function pageOf(path: string, query: string, token: string): Promise<Page> {
  const { status, body } = await call('GET', `${path}?${query}`, { token });
  expect(status).toBe(200);
  return body as unknown as Page;
}

/** Reads a list of three objects in pages of two, and past its end. */
async function expectPaged(path: string, token: string, id: string): Promise<void> {
  const first = await pageOf(path, 'page_size=2', token);
  expect(first).toMatchObject({ page: 1, page_size: 2, total: 3, pages: 2 });
  const second = await pageOf(path, 'page=2&page_size=2', token);
  expect([first.items.length, second.items.length]).toEqual([2, 1]);
  const ids = [...first.items, ...second.items].map((item) => item[id]);
  expect(new Set(ids).size).toBe(3);
  const past = await pageOf(path, 'page=9&page_size=2', token);
  expect(past).toEqual({ items: [], page: 9, page_size: 2, total: 3, pages: 2 });
  for (const [wrong, msg] of [
    ['page=0', 'must be at least 1'],
    ['page=1000001', 'must be at most 1000000'],
    ['page_size=101', 'must be at most 100'],
    ['page_size=x', 'must be a whole number in decimal digits'],
    ['page=1e9', 'must be a whole number in decimal digits'],
  ]) {
    const refused = await call('GET', `${path}?${wrong}`, { token });
    expect([wrong, refused.status]).toEqual([wrong, 422]);
    expect(refused.body['detail']).toEqual([expect.objectContaining({ msg })]);
  }
}

describe('a list', () => {
  it('rejects unknown parameters, and ignores them for a lenient caller', async () => {
    const { api_key: token } = account;
    const headers = { prefer: 'handling=lenient' };
    const known = await call('GET', `${at}?page_size=2`, { token });
    expect([known.status, known.headers.get('x-ignored-fields')]).toEqual([200, null]);
    const query = 'page_size=2&pagesize=3&color=red';
    expect((await call('GET', `${at}?${query}`, { token })).status).toBe(422);
    const other = await call('GET', `${at}?${query}`, { token, headers });
    expect(other.body).toEqual(known.body);
    expect(other.headers.get('x-ignored-fields')).toBe('pagesize, color');
    // Operations without input declare no 422, so they ignore unknown parameters.
    const none = await call('GET', '/livez?color=red&toString=1', {});
    expect([none.status, none.headers.get('x-ignored-fields')]).toEqual([200, 'color, toString']);
    const twice = await call('GET', `${at}?color=red&color=blue`, { token, headers });
    expect([twice.status, twice.headers.get('x-ignored-fields')]).toEqual([200, 'color']);
    expect((await call('GET', `${at}?page=1&page=1`, { token })).status).toBe(422);
    const odd = await call('GET', `${at}?a%0d%0aset-cookie:%20x=1`, { token, headers });
    const named = 'a%0D%0Aset-cookie%3A%20x';
    expect([odd.status, odd.headers.get('x-ignored-fields')]).toEqual([200, named]);
    const many = Array.from({ length: 200 }, (_, index) => `k${index}=1`).join('&');
    expect((await call('GET', `${at}?${many}&page=zzz`, { token, headers })).status).toBe(422);
  });

  it('of webhook endpoints or of deliveries is paged', async () => {
    const { api_key: token } = account;
    const made = [];
    for (const url of ['http://127.0.0.1:9/a', 'http://127.0.0.1:9/b', 'http://127.0.0.1:9/c']) {
      const body = { url, types: ['trust_check.passed'] };
      made.push((await call('POST', at, { token, body })).body['endpoint_id']);
    }
    await expectPaged(at, token, 'endpoint_id');
    const place = `${at}/${String(made[0])}`;
    for (let count = 0; count < 3; count += 1) {
      const body = { type: 'trust_check.passed' };
      expect((await call('POST', `${place}/test`, { token, body })).status).toBe(201);
    }
    await expectPaged(`${place}/deliveries`, token, 'delivery_id');
  });

  it('of devices is paged', async () => {
    const token = account.subject.session_token;
    for (let count = 0; count < 3; count += 1) {
      expect((await enroll(await newPhone(), {}, { token })).status).toBe(201);
    }
    await expectPaged('/v2/devices', token, 'device_id');
  });
});
