import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, newLink } from '../client.ts';
import { ownPlatform } from '../own-platform.ts';

const { own, dataDir } = ownPlatform();
/** Removes a link, which takes no body. */
const remove = async (raw: string | Uint8Array, headers: Readonly<Record<string, string>>) =>
  call('DELETE', `/v2/${await newLink()}`, { token: own.api_key, raw, headers });

describe('a body that nothing is read of', () => {
  it.each<[string, string | Uint8Array, Record<string, string>]>([
    ['of another type', 'hello', { 'content-type': 'text/plain' }],
    ['encoded', new Uint8Array([1, 2]), { 'content-encoding': 'gzip' }],
    ['that is no JSON', '{', {}],
    ['past the cap of others', ' '.repeat(300_000), {}],
  ])('%s is dropped: the operation declares no refusal of it', async (_what, raw, headers) => {
    expect((await remove(raw, headers)).status).toBe(200);
  });
});

describe('parameters of what takes none', () => {
  it.each(['?a=%00', `?${'a=1&'.repeat(1_500)}`])('are no fault: %.10s', async (query) => {
    const { status } = await call('GET', `/v2/rate-limits${query}`, { token: own.api_key });
    expect(status).toBe(200);
  });
});

describe('a path that cannot be decoded', () => {
  it('is a 404 like others, and no fault in the log', async () => {
    const path = `/v2/raw/%zz-${process.pid}`;
    const { status, body } = await call('GET', path, { token: own.api_key });
    expect([status, body['code']]).toEqual([404, 'not_found']);
    const log = await readFile(join(dataDir, 'logs/api.log'), 'utf8');
    expect(log.split('\n').filter((line) => line.includes(`%zz-${process.pid}`))).toEqual([]);
  });
});

describe('a credential in a body', () => {
  it('is refused for its value, with the names that a lenient caller has ignored', async () => {
    const body = { grant_type: 'jwt_exchange', jwt: 'a.b.c', more: 1 };
    const lenient = { prefer: 'handling=lenient' };
    const { status, headers } = await call('POST', '/api/v1/auth/token', {
      body,
      headers: lenient,
    });
    expect([status, headers.get('x-ignored-fields')]).toEqual([401, 'more']);
  });
});
