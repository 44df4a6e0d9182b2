import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
  type JWTPayload,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { createDevice, type Device } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { devTrust, enroll, enrolledPhone, newPhone } from '../../support/checks/phone.ts';
import { pythonHere } from '../../support/commands/python.ts';
import { call, newNumber } from '../../support/http/client.ts';
import { goodBundle, plainParts, portalLogin } from '../../support/keys/bundles.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const options = { algorithms: ['ES256'], clockTolerance: 60 };

/** Verifies a bundle as a third party that knows only the form of the issuer. */
async function verifyFromOutside(token: string): Promise<JWTPayload> {
  const { iss = '' } = decodeJwt(token);
  const keySet = createRemoteJWKSet(new URL(`${iss}/.well-known/jwks.json`));
  const expected = { ...options, typ: 'vbundle+jwt', issuer: iss, audience: baseUrl };
  return (await jwtVerify(token, keySet, expected)).payload;
}

async function passedCheck(device: Device, claims: string[]) {
  const link = await call('PUT', `/v2/link/${own.app_id}`, {
    token: own.api_key,
    body: { requested_claims: claims },
  });
  const trust = await devTrust();
  const say = () => undefined;
  return phoneCheck({ link: String(link.body['url']), number: newNumber(), trust, device, say });
}

describe('the jose library', () => {
  it.each(['ios', 'android'] as const)('verifies the bundle of an %s phone', async (platform) => {
    const device = await enrolledPhone(platform);
    const payload = await verifyFromOutside(await goodBundle(device));
    expect(payload.sub).toBe(device.enrolled?.polyUserId);
    expect(payload['cnf']).toEqual({ jkt: expect.any(String) });
  });

  it('rejects the bundle after the device is revoked', async () => {
    const device = await newPhone('ios');
    await enroll(device, {}, { token: own.member.session_token });
    const token = await goodBundle(device);
    await verifyFromOutside(token);
    const id = device.enrolled?.deviceId ?? '';
    await call('DELETE', `/v2/devices/${id}`, { token: own.member.session_token });
    await expect(verifyFromOutside(token)).rejects.toMatchObject({
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    });
  });

  it('signs bundles that the platform accepts', async () => {
    const device = await enrolledPhone();
    const { header, claims } = plainParts(device);
    const { alg, kid, typ } = header as { alg: string; kid: string; typ: string };
    const signed = new SignJWT(claims).setProtectedHeader({ alg, kid, typ });
    const answer = await portalLogin(await signed.sign(device.signingKey));
    expect(answer.status).toBe(200);
  });

  it('verifies the session and the claims token with the platform’s JWKS', async () => {
    const trust = await devTrust();
    const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
    const session = await passedCheck(device, ['full_name', 'age_over_18']);
    const token = String(session.verified_claims_token);
    const bundle = await goodBundle(device, { verifiedClaims: token });
    const outer = await verifyFromOutside(bundle);
    const sources = outer['_claim_sources'] as { p: { JWT: string } };
    const platformSet = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`));
    const expected = { ...options, issuer: baseUrl };
    const typ = 'verified-claims+jwt';
    const inner = await jwtVerify(sources.p.JWT, platformSet, { ...expected, typ });
    expect(inner.payload.sub).toBe(outer.sub);
    expect(inner.payload['cnf']).toEqual(outer['cnf']);
    const answer = await portalLogin(bundle);
    const own_session = String(answer.body['session_token']);
    const sessionJwt = await jwtVerify(own_session, platformSet, {
      ...expected,
      typ: 'session+jwt',
      audience: baseUrl,
    });
    expect(sessionJwt.payload.sub).toBe(outer.sub);
  });
});

describe('PyJWT', () => {
  it('verifies bundle, claims token and session with only the JWKS URL', async ({ skip }) => {
    const python = pythonHere();
    if (!python) return skip('there is no PyJWT here: npm run validators gets it');
    const trust = await devTrust();
    const device = createDevice({ platform: 'android', trust, now: () => new Date() });
    const session = await passedCheck(device, ['age_over_18']);
    const inner = String(session.verified_claims_token);
    const bundle = await goodBundle(device, { verifiedClaims: inner });
    const { iss = '', sub } = decodeJwt(bundle);
    const judge = (token: string, ...words: string[]) => {
      const script = new URL('../../campaigns/validators/verify_jwt.py', import.meta.url).pathname;
      const ran = spawnSync(python, [script, ...words], { encoding: 'utf8', input: token });
      return { status: ran.status, claims: ran.status === 0 ? JSON.parse(ran.stdout) : null };
    };
    const keysOf = (issuer: string) => [`${issuer}/.well-known/jwks.json`];
    const asBundle = [...keysOf(iss), 'vbundle+jwt', iss, baseUrl];
    expect(judge(bundle, ...asBundle)).toMatchObject({ status: 0, claims: { sub } });
    const asClaims = [...keysOf(baseUrl), 'verified-claims+jwt', baseUrl];
    expect(judge(inner, ...asClaims)).toMatchObject({ status: 0, claims: { sub } });
    const answer = await portalLogin(bundle);
    const asSession = [...keysOf(baseUrl), 'session+jwt', baseUrl, baseUrl];
    const token = String(answer.body['session_token']);
    expect(judge(token, ...asSession)).toMatchObject({ status: 0, claims: { sub } });
    // It rejects another key and a changed token.
    expect(judge(inner, ...keysOf(iss), 'verified-claims+jwt', baseUrl).status).not.toBe(0);
    const [head = '', body = '', signature = ''] = bundle.split('.');
    const other = [head, body, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`];
    expect(judge(other.join('.'), ...asBundle).status).not.toBe(0);
  });
});

describe('the public key of a bundle', () => {
  it('has its RFC 7638 thumbprint as kid', async () => {
    const device = await enrolledPhone();
    const { calculateJwkThumbprint } = await import('jose');
    const jwk = createPublicKey(device.signingKey).export({ format: 'jwk' });
    const { kid } = decodeProtectedHeader(await goodBundle(device));
    expect(kid).toBe(
      await calculateJwkThumbprint(jwk as Parameters<typeof calculateJwkThumbprint>[0]),
    );
  });
});
