import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowserKey, makeKeyPair } from '../../../client/browser-key.ts';
import { dpopNonce, dpopNonceExpiry, dpopNonceLifeMs } from '../../../domain/tokens/dpop-nonce.ts';
import {
  checkBody,
  DpopRefused,
  readDpopProof,
  type DpopRule,
  type ProvenRequest,
} from '../../../domain/tokens/dpop-proof.ts';

const origin = 'https://check.example';
const path = '/v2/trust-checks/tc_1/pair';
const token = 'a.bound.token';
const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: Keys;
let jwk: JWK;
let jkt: string;
beforeAll(async () => {
  keys = await generateKeyPair('ES256', { extractable: true });
  jwk = await exportJWK(keys.publicKey);
  jkt = await calculateJwkThumbprint(jwk);
});

const request = (more: Partial<ProvenRequest> = {}): ProvenRequest => ({
  method: 'POST',
  path,
  origins: [origin, 'http://localhost:8080'],
  token,
  jkt,
  ...more,
});

interface Changed {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
}

/** A valid proof with these changes; `undefined` removes a member. */
function proofOf({ header = {}, claims = {} }: Changed = {}): Promise<string> {
  const good = {
    jti: 'one',
    htm: 'POST',
    htu: `${origin}${path}`,
    iat: Math.floor(Date.now() / 1000),
    nonce: 'a nonce',
    ath: sha256(token),
  };
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header })
    .sign(keys.privateKey);
}

async function ruleOf(proof: string, of = request()): Promise<DpopRule | 'good'> {
  try {
    await readDpopProof(proof, of);
    return 'good';
  } catch (error) {
    if (error instanceof DpopRefused) return error.rule;
    throw error;
  }
}

describe('a DPoP proof', () => {
  it('is accepted for its request, and returns its key', async () => {
    expect(await readDpopProof(await proofOf(), request())).toEqual({
      jkt,
      jti: 'one',
      nonce: 'a nonce',
      bodySha256: null,
    });
  });

  it('is accepted as the client creates it', async () => {
    const pair = await makeKeyPair();
    const key = await createBrowserKey(pair);
    await expect(crypto.subtle.exportKey('jwk', pair.privateKey)).rejects.toThrow();
    key.takeNonce('first');
    key.takeNonce(null);
    const body = new TextEncoder().encode('{"a":1}');
    const url = `${origin}${path}?page=2#top`;
    const proof = await key.sign({ method: 'POST', url, token, body });
    const own = await calculateJwkThumbprint(await exportJWK(pair.publicKey));
    const read = await readDpopProof(proof, request({ jkt: own }));
    expect(read).toMatchObject({ jkt: own, nonce: 'first', bodySha256: sha256('{"a":1}') });
    const again = await key.sign({ method: 'POST', url, token, body });
    expect((await readDpopProof(again, request({ jkt: own }))).jti).not.toBe(read.jti);
  });

  it.each([
    ['two days behind', -2 * 24 * 3600],
    ['two days ahead', 2 * 24 * 3600],
  ])('is accepted from a clock that is %s', async (_what, seconds) => {
    const iat = Math.floor(Date.now() / 1000) + seconds;
    expect(await ruleOf(await proofOf({ claims: { iat } }))).toBe('good');
  });

  it.each(['', 'x', 'a.b', 'a.b.c', 'a.b.c.d', 'A'.repeat(5_000), 'é.b.c'])(
    'is refused as malformed: %j',
    async (text) => expect(await ruleOf(text)).toBe('form'),
  );

  it('is refused as malformed when two headers are joined or it is too long', async () => {
    const proof = await proofOf();
    expect(await ruleOf(`${proof}, ${proof}`)).toBe('form');
    const long = await proofOf({ claims: { more: 'x'.repeat(4_000) } });
    expect(await ruleOf(long)).toBe('form');
    const [head = '', , signature = ''] = proof.split('.');
    const twice = Buffer.from('{"jti":"one","jti":"two"}').toString('base64url');
    expect(await ruleOf([head, twice, signature].join('.'))).toBe('form');
  });

  it.each<[DpopRule, Changed]>([
    ['claims', { claims: { jti: undefined } }],
    ['claims', { claims: { jti: 7 } }],
    ['claims', { claims: { jti: '' } }],
    ['claims', { claims: { jti: 'x'.repeat(129) } }],
    ['claims', { claims: { htm: undefined } }],
    ['claims', { claims: { htu: ['https://check.example'] } }],
    ['claims', { claims: { iat: undefined } }],
    ['typ', { header: { typ: 'JWT' } }],
    ['typ', { header: { typ: 'application/dpop+jwt' } }],
    ['form', { header: { x5u: 'https://evil.example' } }],
    ['htm', { claims: { htm: 'GET' } }],
    ['htm', { claims: { htm: 'post' } }],
    ['htu', { claims: { htu: `${origin}/v2/trust-checks/tc_2/pair` } }],
    ['htu', { claims: { htu: `https://evil.example${path}` } }],
    ['htu', { claims: { htu: path } }],
    ['htu', { claims: { htu: '' } }],
    ['ath', { claims: { ath: undefined } }],
    ['ath', { claims: { ath: sha256('another.token') } }],
  ])('is refused for %s as %j', async (rule, changed) => {
    expect(await ruleOf(await proofOf(changed))).toBe(rule);
  });

  it.each<[DpopRule, object]>([
    ['alg', { alg: 'none' }],
    ['alg', { alg: 'HS256' }],
    ['alg', { alg: 'RS256' }],
    ['jwk', { jwk: undefined }],
    ['jwk', { jwk: 'text' }],
    ['jwk', { jwk: { kty: 'oct', k: 'c2VjcmV0' } }],
    ['signature', {}],
  ])('without a signature is refused for %s with %j', async (rule, header) => {
    const [, claims = ''] = (await proofOf()).split('.');
    const head = base64url({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header });
    expect(await ruleOf(`${head}.${claims}.${'A'.repeat(86)}`)).toBe(rule);
  });

  it('is refused with a private key, another curve or a point off the curve', async () => {
    const secret = await exportJWK(keys.privateKey);
    expect(await ruleOf(await proofOf({ header: { jwk: secret } }))).toBe('jwk');
    const other = await exportJWK((await generateKeyPair('ES384')).publicKey);
    expect(await ruleOf(await proofOf({ header: { jwk: other } }))).toBe('jwk');
    const off = { ...jwk, y: Buffer.alloc(32, 1).toString('base64url') };
    expect(await ruleOf(await proofOf({ header: { jwk: off } }))).toBe('signature');
  });

  it('is refused when another key signed it, or its claims were changed', async () => {
    const other = await exportJWK((await generateKeyPair('ES256')).publicKey);
    expect(await ruleOf(await proofOf({ header: { jwk: other } }))).toBe('signature');
    const [head, , signature] = (await proofOf()).split('.');
    const [, claims] = (await proofOf({ claims: { jti: 'two' } })).split('.');
    expect(await ruleOf([head, claims, signature].join('.'))).toBe('signature');
  });

  it('is refused with a token that is bound to another key', async () => {
    expect(await ruleOf(await proofOf(), request({ jkt: 'another' }))).toBe('cnf');
  });

  it('needs no token hash when no token is sent', async () => {
    const proof = await proofOf({ claims: { ath: undefined } });
    expect(await ruleOf(proof, request({ token: null, jkt: null }))).toBe('good');
  });

  it('is accepted for any host name of the service and any query', async () => {
    const htu = `http://localhost:8080${path}?page=1`;
    expect(await ruleOf(await proofOf({ claims: { htu } }))).toBe('good');
  });
});

describe('the body under a proof', () => {
  const body = Buffer.from('{"a":1}');
  const check = (bodySha256: string | null, bytes: Uint8Array) => () =>
    checkBody({ bodySha256 }, bytes);

  it('must be the signed one, or empty when none was signed', () => {
    expect(check(sha256('{"a":1}'), body)).not.toThrow();
    expect(check(null, Buffer.alloc(0))).not.toThrow();
    expect(check(sha256(''), Buffer.alloc(0))).not.toThrow();
    expect(check(null, body)).toThrow(DpopRefused);
    expect(check(sha256('{"a":2}'), body)).toThrow(DpopRefused);
    expect(check(sha256('{"a":1}'), Buffer.alloc(0))).toThrow(DpopRefused);
  });
});

describe('a DPoP nonce', () => {
  const secret = Buffer.alloc(32, 7);
  const start = new Date('2026-11-28T00:00:00Z');
  const after = (ms: number): Date => new Date(start.getTime() + ms);
  const halfLifeMs = dpopNonceLifeMs / 2;

  it('is valid in its own period and the next one', () => {
    const nonce = dpopNonce(secret, start);
    const end = after(dpopNonceLifeMs);
    expect(dpopNonceExpiry([secret], nonce, start)).toEqual(end);
    expect(dpopNonceExpiry([secret], nonce, after(dpopNonceLifeMs - 1))).toEqual(end);
    expect(dpopNonceExpiry([secret], nonce, end)).toBeNull();
    expect(dpopNonceExpiry([secret], nonce, after(-1))).toBeNull();
    expect(dpopNonce(secret, after(halfLifeMs - 1))).toBe(nonce);
    expect(dpopNonce(secret, after(halfLifeMs))).not.toBe(nonce);
  });

  it('must be one of ours, in its only spelling', () => {
    const nonce = dpopNonce(secret, start);
    for (const other of ['', 'none', `${nonce}A`, nonce.slice(1), nonce.replace(/.$/, '~')]) {
      expect(dpopNonceExpiry([secret], other, start), other).toBeNull();
    }
    expect(dpopNonceExpiry([Buffer.alloc(32, 8)], nonce, start)).toBeNull();
    expect(dpopNonceExpiry([Buffer.alloc(32, 8), secret], nonce, start)).not.toBeNull();
  });
});
