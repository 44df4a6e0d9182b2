import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusesBody } from '../../../api/http/parse/body.ts';
import { call, newLink } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, dataDir } = ownPlatform();
/** Removes a link. The operation accepts no body. */
const remove = async (raw: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  call('DELETE', `/v2/${await newLink()}`, { token: own.api_key, raw, headers });
const outcome = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body['code']];

describe('a body that the operation does not accept', () => {
  it.each<[string, string | Uint8Array, Record<string, string>]>([
    ['of JSON', '{"hard":true}', {}],
    ['of another type', 'hello', { 'content-type': 'text/plain' }],
    ['that is encoded', new Uint8Array([1, 2]), { 'content-encoding': 'gzip' }],
    ['that is not JSON', '{', {}],
    ['past the cap of other operations', ' '.repeat(300_000), {}],
  ])('%s is rejected, and ignored for a lenient caller', async (_what, raw, headers) => {
    expect(outcome(await remove(raw, headers))).toEqual([400, 'body_unexpected']);
    const lenient = await remove(raw, { ...headers, prefer: 'handling=lenient' });
    expect(lenient.status).toBe(200);
    expect(lenient.headers.get('preference-applied')).toBe('handling=lenient');
  });

  it.each(['{}', ' { \n } ', ' '])('is accepted if it is empty: %j', async (raw) => {
    expect((await remove(raw)).status).toBe(200);
  });

  it('is rejected after authentication', async () => {
    const { status, body } = await call('DELETE', `/v2/${await newLink()}`, { raw: 'hello' });
    expect([status, body['code']]).toEqual([401, 'credential_missing']);
  });

  const taking = ['post', 'put', 'patch', 'delete'];
  const bodiless = contracts.filter(
    (row) => refusesBody(row) && taking.includes(row.method) && row.auth.includes('key'),
  );
  it.each(bodiless.map((row) => [row.id, row] as const))('is rejected by %s', async (_id, row) => {
    const path = row.path.replaceAll(/\{([a-z_]+)\*?\}/g, (_whole, name: string) =>
      name.endsWith('uuid') ? randomUUID() : 'x',
    );
    const answer = await call(row.method.toUpperCase(), path, {
      token: own.admin.session_token,
      body: { surplus: 1 },
    });
    expect(outcome(answer)).toEqual([400, 'body_unexpected']);
  });
});

describe('parameters of an operation without parameters', () => {
  it.each(['?a=%00', `?${'a=1&'.repeat(1_500)}`])('are ignored: %.10s', async (query) => {
    const { status } = await call('GET', `/v2/rate-limits${query}`, { token: own.api_key });
    expect(status).toBe(200);
  });
});

describe('a path that cannot be decoded', () => {
  it('returns 404 and is not logged as a fault', async () => {
    const path = `/v2/raw/%zz-${process.pid}`;
    const { status, body } = await call('GET', path, { token: own.api_key });
    expect([status, body['code']]).toEqual([404, 'not_found']);
    const log = await readFile(join(dataDir, 'logs/api.log'), 'utf8');
    expect(log.split('\n').filter((line) => line.includes(`%zz-${process.pid}`))).toEqual([]);
  });
});

describe('an invalid credential in a body', () => {
  it('is rejected and the ignored fields are listed for a lenient caller', async () => {
    const body = { grant_type: 'jwt_exchange', jwt: 'a.b.c', more: 1 };
    const lenient = { prefer: 'handling=lenient' };
    const { status, headers } = await call('POST', '/api/v1/auth/token', {
      body,
      headers: lenient,
    });
    expect([status, headers.get('x-ignored-fields')]).toEqual([401, 'more']);
  });
});
