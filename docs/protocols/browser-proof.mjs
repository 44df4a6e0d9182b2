// Prints a DPoP header (RFC 9449) with nothing of trustcheck, as docs/protocols/browser-binding.md says.
// node docs/protocols/browser-proof.mjs KEY-FILE METHOD URL [TOKEN] [BODY]: the file is made if missing.
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [file = '', htm = '', url = '', token = '', body = ''] = process.argv.slice(2);
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hash = (text) => createHash('sha256').update(text).digest('base64url');

if (!existsSync(file)) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file, JSON.stringify(pair.privateKey.export({ format: 'jwk' })), { mode: 0o600 });
}
const jwk = JSON.parse(readFileSync(file, 'utf8'));
const { kty, crv, x, y } = jwk;
const { origin, pathname } = new URL(url);

// Any proof that does not hold is answered with a nonce.
const asked = await fetch(`${origin}/v2/trust-checks`, {
  method: 'POST',
  headers: { DPoP: 'none' },
});
const claims = {
  jti: randomUUID(),
  htm,
  htu: `${origin}${pathname}`,
  iat: Math.floor(Date.now() / 1000),
  nonce: asked.headers.get('dpop-nonce'),
  ...(token ? { ath: hash(token) } : {}),
  ...(body ? { body_sha256: hash(body) } : {}),
};
const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } };
const input = `${encode(header)}.${encode(claims)}`;
const key = createPrivateKey({ key: jwk, format: 'jwk' });
const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
console.log(`${input}.${signature.toString('base64url')}`);
