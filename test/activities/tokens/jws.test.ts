import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { withLowS } from '../../../domain/pki/low-s.ts';
import { keySigner } from '../../../domain/pki/x509/key-signer.ts';
import {
  decodeJws,
  isSignedBy,
  parseJws,
  signJws,
  tokenBytesMax,
  verifyToken,
} from '../../../domain/tokens/jws.ts';
import { encode } from '../../support/keys/bundles.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const input = `${encode({ alg: 'ES256' })}.${encode({ a: 1 })}`;
const isGood = (signature: Buffer, key = publicKey): Promise<boolean> =>
  isSignedBy({ token: `${input}.${signature.toString('base64url')}` }, key);
const signatureOf = (text: string, key: KeyObject = privateKey): Buffer =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
const signed = (text = input): string => `${text}.${signatureOf(text).toString('base64url')}`;

it('a signature is valid, and invalid with a bit of any byte flipped', async () => {
  for (let place = 0; place < 64; place += 1) {
    const signature = signatureOf(input);
    expect(await isGood(signature)).toBe(true);
    signature.writeUInt8(signature.readUInt8(place) ^ (1 << (place % 8)), place);
    expect(await isGood(signature)).toBe(false);
  }
});

it('values outside the curve are no signature', async () => {
  const good = signatureOf(input);
  const [r, s, zero] = [good.subarray(0, 32), good.subarray(32), Buffer.alloc(32)];
  const full = Buffer.alloc(32, 0xff);
  for (const halves of [
    [zero, zero],
    [r, zero],
    [zero, s],
    [full, full],
    [r, full],
    [full, s],
  ]) {
    expect(await isGood(Buffer.concat(halves))).toBe(false);
  }
  const der = sign('sha256', Buffer.from(input), privateKey);
  for (const other of [Buffer.alloc(0), r, Buffer.concat([good, zero]), der]) {
    expect(await isGood(other)).toBe(false);
  }
  const { publicKey: wide } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  await expect(isGood(good, wide)).rejects.toThrow();
});

it.each([
  ['{"a":1,"b":[{"c":null}]}', true],
  ['{ "a" : 1, "b": [ {"c": null} ] }', true],
  ['{"a":"\\/x","b":"\\u0041:"}', true],
  ['{"a":1,"a":1}', false],
  ['{"a":1,"\\u0061":2}', false],
  ['{"a":{"b":1,"b":2}}', false],
  ['{"a":[{"b":1},{"b":1,"b":1}]}', false],
  ['{"__proto__":1,"__proto__":2}', false],
  ['[1]', false],
  ['{"a":1', false],
])('parseJws accepts the claims %s: %s', (text, expected) => {
  const jws = parseJws(signed(`${encode('{"alg":"ES256"}')}.${encode(text)}`));
  expect(jws?.claims ?? null).toEqual(expected ? JSON.parse(text) : null);
});

const issuer = 'https://trust.example.test';
const signer = { ...keySigner(privateKey, []), algorithm: 'ES256' } as const;
const keys = { tokenKey: () => publicKey };
const now = new Date('2026-11-27T16:00:00Z');
const iat = now.getTime() / 1000;
const usual = { iss: issuer, aud: issuer, iat, exp: iat + 60 };
const verified = (token: string) =>
  verifyToken(keys, { typ: 'session+jwt', issuer, audience: issuer }, token, now);

it('a platform token has one form: the signature with the other s is refused', async () => {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  for (let time = 0; time < 64; time += 1) {
    const token = await signJws(signer, 'session+jwt', { ...usual, time });
    const jws = decodeJws(token, 'session+jwt');
    if (!jws) throw new Error('the token is not of its own form');
    expect(await verified(token)).toMatchObject({ time });
    const s = BigInt(`0x${jws.signature.toString('hex', 32)}`);
    const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
    const signature = Buffer.concat([jws.signature.subarray(0, 32), other]);
    const body = token.slice(0, token.lastIndexOf('.'));
    const second = `${body}.${signature.toString('base64url')}`;
    expect(await isSignedBy({ token: second }, publicKey)).toBe(true);
    expect(await verified(second)).toBeNull();
  }
});

describe('a signed token that jose accepts is refused', () => {
  const head = { alg: 'ES256', kid: signer.kid, typ: 'session+jwt' };
  const body = JSON.stringify(usual);
  const signLow = (text: string): string =>
    `${text}.${withLowS(signatureOf(text)).toString('base64url')}`;
  const withHeader = (more: object): string =>
    signLow(`${encode({ ...head, ...more })}.${encode(body)}`);
  const good = withHeader({});
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // The last character has four unused bits: the next one in the alphabet decodes to the same.
  const respelled = good.slice(0, -1) + alphabet[alphabet.indexOf(good.at(-1) ?? '') + 1];

  it.each<[string, string]>([
    [
      'two members of one name among its claims',
      signLow(`${encode(head)}.${encode(`{"exp":1,${body.slice(1)}`)}`),
    ],
    [
      'two members of one name in its header',
      signLow(`${encode(`{"alg":"none",${JSON.stringify(head).slice(1)}`)}.${encode(body)}`),
    ],
    ['its signature in another spelling', respelled],
    ['padding behind its signature', `${good}==`],
    ['a line break behind its signature', `${good}\n`],
    [
      'more than 8 KiB',
      signLow(`${encode(head)}.${encode({ ...usual, more: 'x'.repeat(tokenBytesMax) })}`),
    ],
    ['a second audience', signLow(`${encode(head)}.${encode({ ...usual, aud: [issuer, 'x'] })}`)],
    ['its type in capitals', withHeader({ typ: 'Session+JWT' })],
    ['its type as a media type', withHeader({ typ: 'application/session+jwt' })],
    ['a key', withHeader({ jwk: { kty: 'EC' } })],
    ['the address of a key set', withHeader({ jku: 'https://evil.test/jwks.json' })],
    ['the address of a certificate', withHeader({ x5u: 'https://evil.test/x.pem' })],
    ['a compression', withHeader({ zip: 'DEF' })],
    ['a critical member', withHeader({ crit: ['b64'], b64: true })],
  ])('with %s', async (_what, token) => {
    const expected = { algorithms: ['ES256'], typ: 'session+jwt', issuer, audience: issuer };
    expect(
      (await jwtVerify(token, publicKey, { ...expected, currentDate: now })).payload,
    ).toBeTruthy();
    expect(await verified(token)).toBeNull();
  });

  it('but accepted without the change', async () => {
    expect(await verified(good)).toEqual(usual);
  });
});
