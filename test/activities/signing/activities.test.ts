import { createHash, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { heldKeys } from '../../../activities/keys/directory/held-keys.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createSigningActivities } from '../../../activities/keys/signing/activities.ts';
import { randomIds } from '../../../db/ids.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import type { SigningRequest } from '../../../workflows/signing/messages.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, dataDir, databaseUrl } = ownPlatform();
const keys = platformKeys();
const db = openTestDb(databaseUrl);
const clock = (): Date => new Date();
const { sign } = createSigningActivities({ db, keys, ids: randomIds, clock, baseUrl });
afterAll(() => db.end());

const spkiOf = (namedCurve: string): string => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve });
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
};
const certificateOf = async (request: SigningRequest): Promise<X509Certificate> =>
  new X509Certificate(Buffer.from((await sign(request)).der ?? '', 'base64'));

it('certifies a user key for client authentication and a year, not as a CA', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = await certificateOf({
    kind: 'user_certificate',
    poly_user_id: 'pu_00000000000000000000000002',
    public_jwk: publicJwkOf(publicKey),
  });
  expect(certificate.verify(keys.peopleCa.publicKey)).toBe(true);
  expect(certificate.subject).toBe('CN=pu_00000000000000000000000002');
  expect([certificate.ca, certificate.keyUsage]).toEqual([false, ['1.3.6.1.5.5.7.3.2']]);
  const lifeMs = certificate.validToDate.getTime() - certificate.validFromDate.getTime();
  expect(lifeMs).toBeLessThanOrEqual(366 * 24 * 3600_000);
});

it('certifies an OCSP responder for OCSP only, by a CA with a key', async () => {
  const spki = spkiOf('P-256');
  const { kid, publicKey } = keys.servicesCa;
  const certificate = await certificateOf({ kind: 'ocsp_responder', issuer_kid: kid, spki });
  expect(certificate.verify(publicKey)).toBe(true);
  expect([certificate.ca, certificate.keyUsage]).toEqual([false, ['1.3.6.1.5.5.7.3.9']]);
});

it.each<[string, string, () => SigningRequest]>([
  [
    'a responder on another curve',
    'key_refused',
    () => ({ kind: 'ocsp_responder', issuer_kid: keys.servicesCa.kid, spki: spkiOf('P-384') }),
  ],
  [
    'bytes that are no key',
    'key_refused',
    () => ({ kind: 'ocsp_responder', issuer_kid: keys.servicesCa.kid, spki: 'AAAA' }),
  ],
  [
    'a key of a person that is no point',
    'key_refused',
    () => ({
      kind: 'user_certificate',
      poly_user_id: 'pu_00000000000000000000000002',
      public_jwk: { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
    }),
  ],
  [
    'a responder of the seal, which is no CA',
    'not_found',
    () => ({ kind: 'ocsp_responder', issuer_kid: keys.seal.kid, spki: spkiOf('P-256') }),
  ],
  [
    'a list of the root',
    'not_found',
    () => ({ kind: 'revocation_list', issuer_kid: keys.root.kid }),
  ],
])('refuses to sign %s', async (_what, code, request) => {
  await expect(sign(request())).rejects.toMatchObject({ code });
});

it('answers a malformed time-stamp query with a rejection', async () => {
  // The bytes are those of a certificate, which the time-stamping key must never sign.
  const query = keys.peopleCa.certificate.raw.toString('base64');
  const { der } = await sign({ kind: 'time_stamp', query });
  const digest = createHash('sha256').update(query).digest();
  const reply = Buffer.from(der ?? '', 'base64');
  // PKIStatus rejection (RFC 3161 §2.4.2), without a token.
  expect(reply.subarray(2, 7).toString('hex')).toMatch(/^30..020102/);
  expect(reply.length).toBeLessThan(20);
  expect(reply.includes(digest)).toBe(false);
});

it('signs nothing with the keys of an API', async () => {
  const own = loadKeys({ directory: `${dataDir}/keys`, holds: heldKeys.api });
  for (const { kid, sign: signBy } of [own.peopleCa, own.servicesCa, own.seal, own.tsa]) {
    await expect(signBy(randomBytes(8)), kid).rejects.toThrow('does not hold its key');
  }
});
