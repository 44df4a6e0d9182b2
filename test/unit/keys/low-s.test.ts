import { createSign, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { lowS } from '../../../domain/pki/low-s.ts';

describe.each(['P-256', 'P-384', 'P-521'])('the low-S form of a signature by %s', (namedCurve) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const data = Buffer.from('what is signed');
  const signatures = Array.from({ length: 40 }, () =>
    createSign('sha256').update(data).sign(privateKey),
  );
  const lowered = signatures.map((signature) => lowS(signature, publicKey));

  it('is valid for the same data', () => {
    for (const low of lowered) expect(verify('sha256', data, publicKey, low)).toBe(true);
  });

  it('changes only signatures with a high s, and only once', () => {
    const changed = lowered.filter((low, index) => !signatures[index]?.equals(low));
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(signatures.length);
    for (const low of lowered) expect(lowS(low, publicKey)).toEqual(low);
  });
});

it('lowS leaves a signature of another kind of key unchanged', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(lowS(Buffer.from('any bytes'), publicKey)).toEqual(Buffer.from('any bytes'));
});
