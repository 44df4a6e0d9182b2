import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { keySigner } from '../../../domain/pki/x509/key-signer.ts';
import {
  decodeJws,
  isSignedBy,
  isSignedByOne,
  parseJws,
  signJws,
} from '../../../domain/tokens/jws.ts';
import { encode } from '../../bundles.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signingInput = Buffer.from('a.b');
const isGood = (signature: Buffer, key = publicKey): boolean =>
  isSignedBy({ header: {}, claims: {}, signingInput, signature }, key);
const signed = (): Buffer =>
  sign('sha256', signingInput, { key: privateKey, dsaEncoding: 'ieee-p1363' });

it('a signature holds with whatever halves it has, and with no bit of it changed', () => {
  // Of a thousand some begin with a zero and half with a high bit, in either half.
  for (let time = 0; time < 1_000; time += 1) {
    const signature = signed();
    expect(isGood(signature)).toBe(true);
    signature.writeUInt8(signature.readUInt8(time % 64) ^ (1 << (time % 8)), time % 64);
    expect(isGood(signature)).toBe(false);
  }
});

it('what is no signature of the curve is none', () => {
  const good = signed();
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
    expect(isGood(Buffer.concat(halves))).toBe(false);
  }
  const der = sign('sha256', signingInput, privateKey);
  for (const other of [Buffer.alloc(0), r, Buffer.concat([good, zero]), der]) {
    expect(isGood(other)).toBe(false);
  }
  const { publicKey: wide } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  expect(isGood(good, wide)).toBe(false);
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
])('%s is a set of claims: %s', (text, expected) => {
  const signature = signed().toString('base64url');
  const jws = parseJws(`${encode('{"alg":"ES256"}')}.${encode(text)}.${signature}`);
  expect(jws?.claims ?? null).toEqual(expected ? JSON.parse(text) : null);
});

it('a token of the platform has one form: the other signature of (r, s) is refused', async () => {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const keys = { tokenKey: () => publicKey };
  const now = new Date();
  const signer = { ...keySigner(privateKey, []), algorithm: 'ES256' } as const;
  for (let time = 0; time < 64; time += 1) {
    const token = await signJws(signer, { typ: 'session+jwt' }, { time });
    const jws = decodeJws(token, 'session+jwt');
    if (!jws) throw new Error('the token is not of its own form');
    expect(isSignedByOne(keys, jws, now)).toBe(true);
    const s = BigInt(`0x${jws.signature.toString('hex', 32)}`);
    const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
    const signature = Buffer.concat([jws.signature.subarray(0, 32), other]);
    expect(isSignedBy({ ...jws, signature }, publicKey)).toBe(true);
    expect(isSignedByOne(keys, { ...jws, signature }, now)).toBe(false);
  }
});
