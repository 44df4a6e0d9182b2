import {
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  verify,
  X509Certificate,
} from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import type { Jwk } from '../../../api/keys/present.ts';
import { randomIds } from '../../../db/ids.ts';
import { revokeBySerial } from '../../../db/queries/certificates.ts';
import { addUser } from '../../../db/queries/seeding.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { issueUserCertificate } from '../../support/keys/issue-user-certificate.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, dataDir } = ownPlatform();
const keys = loadKeys(join(dataDir, 'keys'));
const db = openTestDb(databaseUrl);
const now = new Date();
const yearMs = 365 * 24 * 3600_000;
const user = randomIds.make('pu');
const path = `/users/${user}/.well-known/jwks.json`;
const signedType = 'application/jwk-set+jwt';

const newKey = () => publicJwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
const issue = (key = newKey(), at = now) =>
  issueUserCertificate(
    { on: db, peopleCa: keys.peopleCa, baseUrl },
    { polyUserId: user, deviceId: null, publicKey: key, now: at, random: randomBytes },
  );
const keysOf = ({ body }: Answer): Jwk[] => body['keys'] as Jwk[];
const get = (query = '', headers: Record<string, string> = {}) =>
  call('GET', `${path}${query}`, { headers });

type Issued = Awaited<ReturnType<typeof issue>>;
let good: Issued;
let renewed: { first: Issued; second: Issued };
let superseded: Issued;
let compromised: { first: Issued; second: Issued };
const leakedAt = new Date(now.getTime() - 3600_000);

beforeAll(async () => {
  await addUser(db, [user, 'cert', now]);
  const [renewedKey, leakedKey] = [newKey(), newKey()];
  good = await issue();
  renewed = {
    first: await issue(renewedKey),
    second: await issue(renewedKey, new Date(now.getTime() + 1000)),
  };
  superseded = await issue();
  await revokeBySerial(db, superseded.serial, { at: now, reason: 'superseded' });
  compromised = { first: await issue(leakedKey), second: await issue(leakedKey) };
  const revocation = { at: now, reason: 'compromised', invalidityDate: leakedAt } as const;
  await revokeBySerial(db, compromised.first.serial, revocation);
  // A certificate cannot be older than its CA, so this row is aged instead.
  const old = await issue();
  await db.query('UPDATE certificates SET not_after = $2 WHERE serial = $1', [
    old.serial,
    leakedAt,
  ]);
});
afterAll(() => db.end());

describe('the JWKS of a user', () => {
  it('contains each valid key once, with certificates and dates', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/jwk-set+json');
    expect(answer.headers.get('cache-control')).toBe(
      'public, max-age=300, stale-while-revalidate=60, stale-if-error=86400',
    );
    const set = JSON.parse(answer.text) as { keys: Jwk[] };
    expect(set.keys.map(({ kid }) => kid).sort()).toEqual([good.kid, renewed.second.kid].sort());
    for (const key of set.keys) {
      const [leaf, ca, ...more] = key.x5c.map(
        (der) => new X509Certificate(Buffer.from(der, 'base64')),
      );
      expect(more).toEqual([]);
      expect(leaf?.subject).toBe(`CN=${user}`);
      expect(ca?.raw).toEqual(keys.peopleCa.certificate.raw);
      expect(leaf?.verify(keys.peopleCa.publicKey)).toBe(true);
      const { kty, crv, x, y } = key;
      expect(leaf?.publicKey.export({ format: 'jwk' })).toEqual({ kty, crv, x, y });
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' });
      expect(key.nbf).toBe(Math.floor((leaf?.validFromDate.getTime() ?? 0) / 1000));
      expect(key.exp - key.nbf).toBe(yearMs / 1000);
      expect(key).not.toHaveProperty('revoked');
      expect(key).not.toHaveProperty('d');
    }
    const one = set.keys.find(({ kid }) => kid === renewed.second.kid);
    expect(one?.x5c[0]).toBe(
      new X509Certificate(renewed.second.chain[0] ?? '').raw.toString('base64'),
    );
  });

  it('with include=all marks expired and revoked keys as in OpenID Federation', async () => {
    const whole = keysOf(await call('GET', `${path}?include=all`));
    expect(whole).toHaveLength(7);
    const of = (kid: string): Jwk[] => whole.filter((key) => key.kid === kid);
    const at = Math.floor(now.getTime() / 1000);
    const [old] = of(superseded.kid);
    expect(old).toMatchObject({ use: 'sig', revoked: { revoked_at: at, reason: 'superseded' } });
    expect(old?.revoked).not.toHaveProperty('invalidity_date');
    const leaked = of(compromised.first.kid);
    expect(leaked).toHaveLength(2);
    for (const key of leaked) {
      expect(key.key_ops).toEqual([]);
      expect(key).not.toHaveProperty('use');
    }
    expect(leaked.flatMap(({ revoked }) => revoked ?? [])).toEqual([
      {
        revoked_at: at,
        reason: 'compromised',
        invalidity_date: Math.floor(leakedAt.getTime() / 1000),
      },
    ]);
    const [newer, older] = of(renewed.first.kid);
    expect([newer?.use, newer?.key_ops]).toEqual(['sig', undefined]);
    expect([older?.use, older?.key_ops]).toEqual([undefined, []]);
  });

  it('is signed by the platform if requested by Accept', async () => {
    const answer = await get('?include=all', { accept: `${signedType}, application/json;q=0.5` });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(signedType);
    expect(answer.headers.get('vary')).toContain('Accept');
    const [head = '', body = '', signature = ''] = answer.text.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(head)).toEqual({ alg: 'ES256', kid: keys.tokens.kid, typ: 'jwk-set+jwt' });
    const claims = read(body);
    expect(claims).toMatchObject({ iss: baseUrl, sub: `${baseUrl}/users/${user}` });
    expect(claims.keys).toEqual(keysOf(await call('GET', `${path}?include=all`)));
    expect(Math.abs(claims.iat * 1000 - Date.now())).toBeLessThan(60_000);
    const platform = keysOf(await call('GET', '/.well-known/jwks.json'));
    const { kty, crv, x, y } = platform.find(({ kid }) => kid === read(head).kid) as Jwk;
    const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
    const input = Buffer.from(`${head}.${body}`);
    const raw = Buffer.from(signature, 'base64url');
    expect(verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true);
  });

  it.each([
    ['?include=all', '*/*', 'application/jwk-set+json'],
    ['?include=all', 'application/json', 'application/jwk-set+json'],
    ['?include=all', `${signedType};q=0, */*`, 'application/jwk-set+json'],
    ['?include=all', `${signedType};q=0.2, application/jwk-set+json`, 'application/jwk-set+json'],
    ['?include=all', `${signedType};q=nonsense`, 'application/jwk-set+json'],
    ['?include=all', `${signedType}, */*`, signedType],
    ['', signedType, 'application/jwk-set+json'],
  ])('%s requested as %s is returned as %s', async (query, accept, type) => {
    expect((await get(query, { accept })).headers.get('content-type')).toBe(type);
  });

  it('has an ETag that changes with its content, and returns 304 for a matching one', async () => {
    const one = (await get()).headers.get('etag') ?? '';
    expect(one).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
    for (const tag of [one, `"other", W/${one}`, '*']) {
      const again = await get('', { 'if-none-match': tag });
      expect([again.status, again.text]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(one);
      expect(again.headers.get('cache-control')).toContain('max-age=300');
    }
    expect((await get('', { 'if-none-match': '"other"' })).status).toBe(200);
    const signed = { accept: signedType };
    const weak = (await get('?include=all', signed)).headers.get('etag') ?? '';
    expect(weak).toMatch(/^W\/"/);
    expect((await get('?include=all', { ...signed, 'if-none-match': weak })).status).toBe(304);
    const json = (await get('?include=all')).headers.get('etag');
    expect(`W/${json}`).not.toBe(weak);
    const fresh = await issue();
    expect((await get('', { 'if-none-match': one })).status).toBe(200);
    await revokeBySerial(db, fresh.serial, { at: new Date(), reason: 'unspecified' });
    expect((await get('', { 'if-none-match': one })).status).toBe(304);
  });

  it('is empty for a user without certificates', async () => {
    const nobody = randomIds.make('pu');
    await addUser(db, [nobody, 'cert', new Date()]);
    const { status, text } = await call('GET', `/users/${nobody}/.well-known/jwks.json`);
    expect([status, text]).toEqual([200, '{"keys":[]}']);
  });

  it('returns the same 404 for unknown and malformed ids', async () => {
    const ids = ['pu_unknown', '..', '%2e%2e', '%252e%252e', '..%2f..%2fetc', 'a%5cb', 'a%00b'];
    const more = ['x'.repeat(65), 'pu%20x', '%27%20or%201=1', 'é', '%ff'];
    for (const id of [...ids, ...more]) {
      // fetch resolves dot segments before it sends them.
      if (id === '..' || id === '%2e%2e') continue;
      const answer = await call('GET', `/users/${id}/.well-known/jwks.json`);
      const { request_id: _, ...rest } = answer.body;
      expect([id, answer.status]).toEqual([id, 404]);
      expect(rest).toEqual({
        type: `${baseUrl}/docs/errors/not_found`,
        title: 'Not found',
        status: 404,
        // `%ff` is not UTF-8: the path cannot be decoded and matches no operation.
        detail:
          id === '%ff'
            ? 'No operation has this path.'
            : 'No such person, or this caller may not see it.',
        code: 'not_found',
      });
    }
  });

  it('accepts no other include', async () => {
    for (const query of [
      '?include=',
      '?include=ALL',
      '?include=revoked',
      '?include=all&include=all',
    ]) {
      const answer = await get(query);
      expect([query, answer.status]).toEqual([query, 422]);
      expect(answer.body['detail']).toMatchObject([{ loc: ['query', 'include'] }]);
    }
  });
});

describe('the JWKS of the platform', () => {
  it('contains root, CAs and the token key with their certificates', async () => {
    const answer = await call('GET', '/.well-known/jwks.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/jwk-set+json');
    const set = keysOf(answer);
    expect(set.map(({ kid }) => kid)).toEqual([
      keys.root.kid,
      keys.peopleCa.kid,
      keys.servicesCa.kid,
      keys.tokens.kid,
    ]);
    expect(set.map(({ alg }) => alg)).toEqual(['ES384', 'ES256', 'ES256', 'ES256']);
    expect(set.map(({ x5c }) => x5c.length)).toEqual([1, 1, 1, 2]);
    for (const key of set) expect(key).not.toHaveProperty('d');
  });

  it('returns 304 for a matching ETag', async () => {
    const tag = (await call('GET', '/.well-known/jwks.json')).headers.get('etag') ?? '';
    const again = await call('GET', '/.well-known/jwks.json', {
      headers: { 'if-none-match': tag },
    });
    expect(again.status).toBe(304);
  });

  it('has its service certificates in the table from which revocation is published', async () => {
    const { rows } = await db.query(
      "SELECT kid FROM certificates WHERE kind = 'services' AND issuer_kid = $1",
      [keys.servicesCa.kid],
    );
    const entered = rows.map(({ kid }) => String(kid));
    const own = [keys.seal.kid, keys.tsa.kid, keys.tokens.kid];
    expect(entered).toEqual(expect.arrayContaining(own));
  });
});
