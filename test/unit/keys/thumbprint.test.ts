import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { expect, it } from 'vitest';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';

it.each(['P-256', 'P-384'])(
  'thumbprintOf returns the same thumbprint as jose for %s',
  async (curve) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: curve });
    expect(thumbprintOf(publicJwkOf(publicKey))).toBe(await calculateJwkThumbprint(publicKey));
  },
);

it('the key id of a log is the thumbprint that jose returns', async () => {
  const { kid, key } = createLogSigner(randomBytes(32), 'log.example.test');
  const x = Buffer.from(key.publicKey).toString('base64url');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  expect(kid).toBe(await calculateJwkThumbprint(jwk));
});
