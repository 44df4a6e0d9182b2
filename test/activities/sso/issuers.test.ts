import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIssuers } from '../../../activities/identity/sso/issuers.ts';
import { Failure } from '../../../workflows/failures.ts';
import { startKeyedIssuer, type KeyedIssuer } from '../../support/people/sso.ts';
import { newSigningKey } from '../../support/stand-ins/oauth/issuer.ts';
import type { Fault } from '../../support/stand-ins/provider.ts';

const started: KeyedIssuer[] = [];
async function start(): Promise<KeyedIssuer> {
  const made = await startKeyedIssuer();
  started.push(made);
  return made;
}
afterEach(async () => {
  const ended = started.splice(0);
  expect(ended.flatMap(({ issuer }) => issuer.faults)).toEqual([]);
  await Promise.all(ended.map(({ issuer }) => issuer.stop()));
});

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

/** Creates issuers with a clock that the test sets, in seconds. */
function known(issuersMax = 10) {
  const issuers = createIssuers({ allowPrivate: true, clock: () => new Date(), issuersMax });
  return { issuers, pass: (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000) };
}
const es256 = (kid: string) => ({ alg: 'ES256', kid });
const paths = ({ issuer }: KeyedIssuer): string[] => issuer.requests.map(({ path }) => path);
const asked = (of: KeyedIssuer, path: string): number =>
  paths(of).filter((one) => one === path).length;
const fault = async (asking: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await asking.then(
    () => new Error('it was answered'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
};

describe('the cached keys and metadata of an issuer', () => {
  it('are fetched once for concurrent requests', async () => {
    const one = await start();
    const { issuers, pass } = known();
    const { kid } = one.key;
    const found = await Promise.all(
      Array.from({ length: 20 }, () => issuers.keysOf(one.issuer.issuer, es256(kid))),
    );
    expect(found.map(({ length }) => length)).toEqual(found.map(() => 1));
    expect(paths(one)).toEqual(['/.well-known/openid-configuration', '/keys']);
    pass(599);
    await issuers.keysOf(one.issuer.issuer, es256(kid));
    expect(asked(one, '/keys')).toBe(1);
    pass(2);
    await issuers.keysOf(one.issuer.issuer, es256(kid));
    expect([asked(one, '/keys'), asked(one, '/.well-known/openid-configuration')]).toEqual([2, 1]);
    pass(3000);
    await issuers.metadataOf(one.issuer.issuer);
    expect(asked(one, '/.well-known/openid-configuration')).toBe(2);
  });

  it('are fetched again at once for an unknown key id, then once in ten seconds', async () => {
    const one = await start();
    const { issuers, pass } = known();
    const id = one.issuer.issuer;
    await issuers.keysOf(id, es256(one.key.kid));
    const next = newSigningKey('ES256', 'the-next');
    one.issuer.keys = [one.key, next];
    pass(1);
    expect((await issuers.keysOf(id, es256(next.kid))).length).toBe(1);
    expect(asked(one, '/keys')).toBe(2);
    pass(1);
    for (let guess = 0; guess < 50; guess += 1) {
      const unknown = await fault(issuers.keysOf(id, es256(`made-up-${guess}`)));
      expect([unknown.code, unknown.retryAfterSeconds]).toEqual(['dependency_unavailable', 9]);
    }
    expect(asked(one, '/keys')).toBe(2);
    pass(9);
    const many = await Promise.all(
      ['the-next', 'made-up', 'the-next', 'made-up'].map((kid) => issuers.keysOf(id, es256(kid))),
    );
    expect(many.map(({ length }) => length)).toEqual([1, 0, 1, 0]);
    expect(asked(one, '/keys')).toBe(3);
  });

  it('never refuse a new key because of an earlier forged key id', async () => {
    const one = await start();
    const { issuers, pass } = known();
    const id = one.issuer.issuer;
    await issuers.keysOf(id, es256(one.key.kid));
    pass(1);
    expect(await issuers.keysOf(id, es256('made-up'))).toEqual([]);
    const next = newSigningKey('ES256', 'the-next');
    one.issuer.keys = [one.key, next];
    pass(1);
    expect((await fault(issuers.keysOf(id, es256(next.kid)))).code).toBe('dependency_unavailable');
    expect((await issuers.keysOf(id, es256(one.key.kid))).length).toBe(1);
    pass(9);
    expect((await issuers.keysOf(id, es256(next.kid))).length).toBe(1);
  });

  it('contain a known key while a forged key id waits for an issuer without an answer', async () => {
    const one = await start();
    const { issuers, pass } = known();
    const id = one.issuer.issuer;
    await issuers.keysOf(id, es256(one.key.kid));
    pass(1);
    one.issuer.failNext('hang');
    const unknown = fault(issuers.keysOf(id, es256('made-up')));
    expect((await issuers.keysOf(id, es256(one.key.kid))).length).toBe(1);
    // None of the calls above waited for this one.
    expect((await unknown).code).toBe('dependency_unavailable');
  });

  it('lose a key that is no longer published', async () => {
    const one = await start();
    const { issuers, pass } = known();
    one.issuer.keys = [one.key];
    expect((await issuers.keysOf(one.issuer.issuer, es256(one.key.kid))).length).toBe(1);
    one.issuer.keys = [];
    pass(601);
    expect(await issuers.keysOf(one.issuer.issuer, es256(one.key.kid))).toEqual([]);
  });

  it('stay in use until they expire while the issuer is unavailable', async () => {
    const one = await start();
    const { issuers, pass } = known();
    const id = one.issuer.issuer;
    await issuers.keysOf(id, es256(one.key.kid));
    pass(60);
    one.issuer.failNext({ status: 503, headers: { 'Retry-After': '17' } });
    const away = await fault(issuers.keysOf(id, es256('made-up')));
    expect([away.code, away.retryAfterSeconds]).toEqual(['dependency_unavailable', 17]);
    expect((await issuers.keysOf(id, es256(one.key.kid))).length).toBe(1);
    pass(600);
    one.issuer.failNext('reset');
    expect((await fault(issuers.keysOf(id, es256(one.key.kid)))).code).toBe(
      'dependency_unavailable',
    );
    pass(30);
    expect((await issuers.keysOf(id, es256(one.key.kid))).length).toBe(1);
  });

  it('are not fetched after a failure, for the cool-down or the Retry-After', async () => {
    const one = await start();
    const { issuers, pass } = known();
    const id = one.issuer.issuer;
    const ask = () => fault(issuers.keysOf(id, es256(one.key.kid)));
    one.issuer.failNext({ status: 503, headers: { 'Retry-After': '90' } });
    expect((await ask()).retryAfterSeconds).toBe(90);
    pass(50);
    const again = await Promise.all(Array.from({ length: 20 }, ask));
    expect(again.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual(again.map(() => 40));
    expect(one.issuer.requests.length).toBe(1);
    pass(41);
    expect((await issuers.keysOf(id, es256(one.key.kid))).length).toBe(1);
  });

  it('are kept for a limited number of issuers', async () => {
    const [one, two] = [await start(), await start()];
    const { issuers } = known(1);
    for (const { issuer } of [one, two, one]) await issuers.metadataOf(issuer.issuer);
    expect([paths(one).length, paths(two).length]).toEqual([2, 1]);
  });

  it('contain no key that is weak, symmetric, for another use or unreadable', async () => {
    const one = await start();
    const { issuers } = known();
    const { jwk } = one.key;
    const named = (kid: string, changes: object) => ({
      ...one.key,
      kid,
      jwk: { ...jwk, kid, ...changes },
    });
    one.issuer.keys = [
      named('enc', { use: 'enc' }),
      named('ops', { key_ops: ['sign'] }),
      named('oct', { kty: 'oct', k: 'c2VjcmV0' }),
      named('off', { x: jwk.y, y: jwk.x }),
      named('short', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }),
      named('curve', { crv: 'P-999' }),
      named('', {}),
      named('good', { key_ops: ['verify'], alg: 'ES256', x5c: ['ignored'] }),
    ];
    const found = await Promise.all(
      one.issuer.keys.map(({ kid }) =>
        issuers.keysOf(one.issuer.issuer, { alg: kid === 'short' ? 'RS256' : 'ES256', kid }),
      ),
    );
    expect(found.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });
});

describe('an issuer is unavailable', () => {
  const faults: [string, Fault][] = [
    ['a redirect', { status: 302, headers: { Location: '/elsewhere' } }],
    ['a page', { status: 200, headers: { 'Content-Type': 'text/html' }, body: {} }],
    ['nothing found', { status: 404, body: { error: 'not_found' } }],
    ['too many requests', { status: 429, body: {} }],
    ['a fault', { status: 500 }],
    ['a list', { status: 200, body: [] }],
    ['no JSON', { status: 200, headers: { 'Content-Type': 'application/json' } }],
    ['half a MiB and more', { status: 200, body: { issuer: 'x'.repeat(600_000) } }],
    ['a broken connection', 'reset'],
  ];
  it.each(faults)('after %s in place of its metadata', async (_what, broken) => {
    const one = await start();
    const { issuers, pass } = known();
    one.issuer.failNext(broken);
    const away = await fault(issuers.metadataOf(one.issuer.issuer));
    expect(away.code).toBe('dependency_unavailable');
    expect(away.retryAfterSeconds).toBeGreaterThan(0);
    expect(one.issuer.requests.length).toBe(1);
    await fault(issuers.metadataOf(one.issuer.issuer));
    expect(one.issuer.requests.length).toBe(1);
    pass(30);
    expect((await issuers.metadataOf(one.issuer.issuer)).issuer).toBe(one.issuer.issuer);
  });

  it.each(faults)('after %s in place of its keys', async (_what, broken) => {
    const one = await start();
    const { issuers, pass } = known();
    await issuers.metadataOf(one.issuer.issuer);
    one.issuer.failNext(broken);
    const away = await fault(issuers.keysOf(one.issuer.issuer, es256(one.key.kid)));
    expect(away.code).toBe('dependency_unavailable');
    pass(30);
    expect((await issuers.keysOf(one.issuer.issuer, es256(one.key.kid))).length).toBe(1);
  });

  it('after no answer, and after an endless answer', async () => {
    const one = await start();
    const { issuers } = known();
    one.issuer.failNext('hang');
    const silent = fault(issuers.metadataOf(one.issuer.issuer));
    const two = await start();
    two.issuer.failNext('trickle');
    const endless = fault(issuers.metadataOf(two.issuer.issuer));
    for (const { code } of await Promise.all([silent, endless])) {
      expect(code).toBe('dependency_unavailable');
    }
  });

  it.each([
    ['with a slash', (url: string) => `${url}/`],
    ['in capitals', (url: string) => url.replace('http', 'HTTP')],
    ['of another host', () => 'https://login.example.test'],
    ['that is a number', () => 7],
  ])('with metadata of an issuer %s', async (_what, change) => {
    const one = await start();
    const { issuers } = known();
    one.issuer.metadata = { issuer: change(one.issuer.url) };
    const away = await fault(issuers.metadataOf(one.issuer.issuer));
    expect(away.code).toBe('dependency_unavailable');
  });

  it('without an address of its keys, or with one that is not allowed', async () => {
    for (const jwks_uri of [undefined, 'file:///etc/passwd', 'ftp://127.0.0.1/', 'http://u:p@x/']) {
      const one = await start();
      one.issuer.metadata = { jwks_uri };
      const { issuers } = known();
      const away = await fault(issuers.keysOf(one.issuer.issuer, es256(one.key.kid)));
      expect(away.code).toBe('dependency_unavailable');
      expect(paths(one)).toEqual(['/.well-known/openid-configuration']);
    }
  });

  it('outside the public internet, when private addresses are not allowed', async () => {
    const one = await start();
    const issuers = createIssuers({ allowPrivate: false, clock: () => new Date() });
    const { port } = new URL(one.issuer.url);
    for (const id of [
      one.issuer.issuer,
      `https://127.0.0.1:${port}`,
      `https://localhost:${port}`,
      `https://[::1]:${port}`,
      'https://169.254.169.254/latest',
      'https://login.internal',
    ]) {
      expect((await fault(issuers.metadataOf(id))).code).toBe('dependency_unavailable');
    }
    expect(one.issuer.requests).toEqual([]);
  });
});
