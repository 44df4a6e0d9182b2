import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { call, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, baseUrl } = ownPlatform();
const token = own.api_key;

describe('a path that differs in case', () => {
  it.each(['/LIVEZ', '/V2/rate-limits', '/v2/Trust-Checks'])('%s returns 404', async (path) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${baseUrl}${path}`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }]);
  });
});

describe('a known path with another method', () => {
  it.each([
    ['POST', '/livez', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v2/rate-limits', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v2/rate-limits', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/v2/trust-checks', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/v2/trust-checks/tc_1', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v2/accounts/1', 'GET, HEAD, OPTIONS, PATCH'],
    ['GET', '/portal_login', 'OPTIONS, POST'],
    ['PUT', `/v2/${own.app_id}/${randomUUID()}`, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST'],
  ])('%s %s returns 405 with the allowed methods', async (method, path, allow) => {
    const options = { method, headers: { authorization: `Bearer ${token}` } };
    const answer = await fetch(`${baseUrl}${path}`, options);
    const body: unknown = await answer.json();
    expect([answer.status, answer.headers.get('allow'), body]).toMatchObject([
      405,
      allow,
      { code: 'method_not_allowed', detail: `The path takes ${allow}.` },
    ]);
  });

  it('lists the allowed methods for OPTIONS', async () => {
    const asked = await fetch(`${baseUrl}/v2/rate-limits`, { method: 'OPTIONS' });
    expect([asked.status, asked.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it('answers HEAD like GET without a body', async () => {
    const uuid = await newLink();
    for (const path of ['/livez', `/v2/${uuid}`]) {
      const head = await fetch(`${baseUrl}${path}`, { method: 'HEAD' });
      expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
    }
  });
});

describe('a path similar to an operation', () => {
  it.each([
    ['POST', '/v2/apps'],
    ['DELETE', '/v2/apps'],
    ['PATCH', '/v2/apps'],
    ['GET', '/v2/apps'],
    ['POST', '/v2/trustchecks'],
    ['POST', '/v2/apps/create'],
    ['DELETE', '/v2/trust-check/tc_1'],
    ['GET', `/v2/${randomUUID()}x`],
  ])('%s %s returns 404 as an unknown path', async (method, path) => {
    const options = { method, headers: { authorization: `Bearer ${token}` } };
    const answer = await fetch(`${baseUrl}${path}`, options);
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { code: 'not_found', detail: 'No operation has this path.' },
    ]);
  });

  it('with a UUID returns 404 as an unknown link', async () => {
    for (const path of [`/v2/${randomUUID()}`, `/v2/raw/${randomUUID()}`]) {
      const { status, body } = await call('GET', path, { token });
      expect([path, status, body['detail']]).toEqual([
        path,
        404,
        'No such link, or this caller may not see it.',
      ]);
    }
  });
});
