import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRootSigner } from '../../../activities/keys/directory/load-keys.ts';
import { verifyBundle, type VerifiedBundle } from '../../../activities/tokens/verify-bundle.ts';
import { randomIds } from '../../../db/ids.ts';
import { issueCertificate } from '../../../domain/pki/x509/issue-certificate.ts';
import { newSerial } from '../../../domain/pki/x509/serial.ts';
import {
  BundleRefused,
  bundleRules,
  type BundleRule,
} from '../../../domain/tokens/bundle-refused.ts';
import { tokenBytesMax } from '../../../domain/tokens/jws.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enrolledPhone, newChallenge } from '../../support/checks/phone.ts';
import {
  changedBundle,
  goodBundle,
  platformKeys,
  type Members,
} from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { wrongBundles } from '../../support/wrong-bundles/all.ts';
import { aggregate, claimsOf } from '../../support/wrong-bundles/tokens.ts';

const { baseUrl, databaseUrl, own } = ownPlatform();
const keys = platformKeys();
const db = openTestDb(databaseUrl);
let phone: Device;
let other: Device;

beforeAll(async () => {
  [phone, other] = [await enrolledPhone('ios'), await enrolledPhone('android')];
});
afterAll(() => db.end());

const verify = (token: string, now = new Date()): Promise<VerifiedBundle> =>
  verifyBundle({ db, keys, baseUrl }, token, now);

/** Returns the rule that a bundle breaks, or null when it passes. */
async function brokenBy(token: string, now = new Date()): Promise<BundleRule | null> {
  try {
    await verify(token, now);
    return null;
  } catch (error) {
    if (error instanceof BundleRefused) return error.rule;
    throw error;
  }
}

const seconds = (count: number): Date => new Date(Date.now() + count * 1000);

describe('a verification bundle', () => {
  it('passes for either platform, and names its subject and device', async () => {
    for (const device of [phone, other]) {
      const bundle = await verify(await goodBundle(device));
      expect(bundle).toEqual({
        polyUserId: device.enrolled?.polyUserId,
        deviceId: device.enrolled?.deviceId,
        audience: { kind: 'platform' },
        appId: null,
        nonce: null,
        authTime: expect.any(Date),
        verifiedClaims: null,
      });
    }
  });

  it('is refused by exactly the expected rule in over 200 forms', async () => {
    const wrong = await wrongBundles(phone, other);
    expect(wrong.length).toBeGreaterThan(200);
    const names = wrong.map(({ what }) => what);
    expect(names.filter((what, at) => names.indexOf(what) !== at)).toEqual([]);
    const found: [string, BundleRule | null][] = [];
    for (const { what, token } of wrong) found.push([what, await brokenBy(token)]);
    expect(found).toEqual(wrong.map(({ what, rule }) => [what, rule]));
  });

  it('fits into 8 KiB with the claims of a check', async () => {
    const token = await goodBundle(phone, { verifiedClaims: await claimsOf(phone) });
    expect(token.length).toBeLessThan(tokenBytesMax * 0.75);
    const { verifiedClaims } = await verify(token);
    expect(verifiedClaims?.verifiedClaims).toHaveLength(1);
  });

  it('can omit optional claims', async () => {
    const claims: Members = {
      nbf: undefined,
      auth_time: undefined,
      amr: undefined,
      cnf: undefined,
    };
    const header = { x5c: undefined, 'x5t#S256': undefined };
    expect(await brokenBy(changedBundle(phone, { claims, header }))).toBeNull();
    expect(await brokenBy(changedBundle(phone, { claims: aggregate(await claimsOf(phone)) }))).toBe(
      null,
    );
  });

  it('is valid until the second it expires, with a minute of skew', async () => {
    const at = Math.floor(Date.now() / 1000);
    const whole = new Date(at * 1000);
    const after = (count: number): Date => new Date((at + count) * 1000);
    const made = (claims: Members = {}): string => changedBundle(phone, { claims, now: whole });
    expect(await brokenBy(made({ exp: at + 600 }), whole)).toBeNull();
    expect(await brokenBy(made({ exp: at + 601 }), whole)).toBe('lifetime');
    expect(await brokenBy(made(), after(300 + 59))).toBeNull();
    expect(await brokenBy(made(), after(300 + 60))).toBe('lifetime');
    expect(await brokenBy(made(), after(-60))).toBeNull();
    expect(await brokenBy(made(), after(-61))).toBe('lifetime');
  });

  it('returns the authentication time, at most the current time', async () => {
    const now = new Date();
    const at = Math.floor(now.getTime() / 1000);
    const early = await verify(changedBundle(phone, { claims: { auth_time: at - 900 } }), now);
    expect(early.authTime.getTime()).toBe((at - 900) * 1000);
    const ahead = await verify(changedBundle(phone, { now: seconds(50) }), now);
    expect(ahead.authTime.getTime()).toBe(now.getTime());
  });

  it('is for the platform, an app or an account', async () => {
    const audiences = {
      [`${baseUrl}/apps/${own.app_id}`]: {
        kind: 'app',
        appId: own.app_id,
        accountId: own.account_id,
      },
      [`${baseUrl}/accounts/${own.account_id}`]: { kind: 'account', accountId: own.account_id },
    };
    for (const [audience, expected] of Object.entries(audiences)) {
      const bundle = await verify(await goodBundle(phone, { audience }));
      expect(bundle.audience).toEqual(expected);
    }
    const aud = `${baseUrl}/apps/${own.app_id}`;
    const named = await verify(await goodBundle(phone, { audience: aud, appId: own.app_id }));
    expect(named.appId).toBe(own.app_id);
    const claims = { aud, azp: 'another-app' };
    expect(await brokenBy(changedBundle(phone, { claims }))).toBe('audience');
  });
});

describe('the tokens that a bundle spends', () => {
  it('are its jti, once, stored until the bundle expires', async () => {
    const jti = `test-${Date.now()}-0123456789`;
    const token = changedBundle(phone, { claims: { jti } });
    expect(await brokenBy(token)).toBeNull();
    expect(await brokenBy(token)).toBe('jti');
    expect(await brokenBy(changedBundle(phone, { claims: { jti } }))).toBe('jti');
    expect(await brokenBy(changedBundle(other, { claims: { jti } }))).toBeNull();
    const { rows } = await db.query<{ expires_at: Date }>(
      'SELECT expires_at FROM spent_tokens WHERE jti = $1',
      [`bundle|${phone.enrolled?.polyUserId ?? ''}|${jti}`],
    );
    const keptSeconds = ((rows[0]?.expires_at.getTime() ?? 0) - Date.now()) / 1000;
    expect(keptSeconds).toBeGreaterThan(660);
    expect(keptSeconds).toBeLessThan(780);
  });

  it('are its jti, whatever the spelling of the signature', async () => {
    const token = changedBundle(phone);
    expect(await brokenBy(token)).toBeNull();
    expect(await brokenBy(mirrored(token))).toBe('jti');
  });

  it('are its nonce, a challenge of the platform, once', async () => {
    const nonce = await newChallenge();
    expect(await brokenBy(await goodBundle(phone, { nonce }))).toBeNull();
    expect(await brokenBy(await goodBundle(phone, { nonce }))).toBe('nonce');
    const late = await newChallenge();
    const inTenMinutes = seconds(600);
    const token = await goodBundle(phone, { nonce: late, now: inTenMinutes });
    expect(await brokenBy(token, inTenMinutes)).toBe('nonce');
  });

  it('are none before the signature is verified', async () => {
    const nonce = await newChallenge();
    const { jti } = { jti: `test-${Date.now()}-9876543210` };
    const forged = changedBundle(phone, { claims: { nonce, jti }, key: other.signingKey });
    expect(await brokenBy(forged)).toBe('signature');
    expect(await brokenBy(changedBundle(phone, { claims: { nonce, jti } }))).toBeNull();
  });

  it('are spent by one of 20 concurrent requests', async () => {
    const token = await goodBundle(phone, { nonce: await newChallenge() });
    const answers = await Promise.all(Array.from({ length: 20 }, () => brokenBy(token)));
    expect(answers.filter((rule) => rule === null)).toHaveLength(1);
  });
});

describe('the key of a bundle', () => {
  const change = (sql: string): Promise<unknown> =>
    db.query(sql, [phone.enrolled?.polyUserId ?? '']);
  const original = async (): Promise<unknown> => {
    await change(
      `UPDATE certificates SET revoked_at = NULL, revocation_reason = NULL,
         not_before = now() - interval '5 minutes', not_after = now() + interval '1 year'
       WHERE poly_user_id = $1`,
    );
    return change('UPDATE devices SET revoked_at = NULL WHERE poly_user_id = $1');
  };
  const certificate = (what: string): string =>
    `UPDATE certificates SET ${what} WHERE poly_user_id = $1`;

  it.each([
    ['revoked', 'kid', certificate(`revoked_at = now(), revocation_reason = 'unspecified'`)],
    ['superseded', 'kid', certificate(`revoked_at = now(), revocation_reason = 'superseded'`)],
    ['compromised', 'kid', certificate(`revoked_at = now(), revocation_reason = 'compromised'`)],
    ['expired', 'kid', certificate(`not_after = now() - interval '1 second'`)],
    ['of the future', 'kid', certificate(`not_before = now() + interval '1 hour'`)],
    ['issued by an unknown CA', 'chain', certificate(`issuer_kid = 'nobody'`)],
    [
      'of a revoked device',
      'revocation',
      `UPDATE devices SET revoked_at = now() WHERE poly_user_id = $1`,
    ],
  ] as const)('is refused when it is %s', async (_what, rule, sql) => {
    const before = await db.query('SELECT issuer_kid FROM certificates WHERE poly_user_id = $1', [
      phone.enrolled?.polyUserId,
    ]);
    await change(sql);
    const broken = await brokenBy(await goodBundle(phone));
    await original();
    await db.query('UPDATE certificates SET issuer_kid = $2 WHERE poly_user_id = $1', [
      phone.enrolled?.polyUserId,
      before.rows[0]?.issuer_kid,
    ]);
    expect(broken).toBe(rule);
    expect(await brokenBy(await goodBundle(phone))).toBeNull();
  });

  it('is judged by the dates in its certificate, not only those of the row', async () => {
    await change(certificate(`not_after = now() + interval '10 years'`));
    const inTwoYears = seconds(2 * 365 * 86_400);
    const token = await goodBundle(phone, { now: inTwoYears });
    expect(await brokenBy(token, inTwoYears)).toBe('chain');
    await original();
  });

  it('leads to the root of the platform only', async () => {
    const { root, seal } = keys;
    const foreign = { ...root, certificate: seal.certificate };
    const deps = { db, keys: { ...keys, root: foreign }, baseUrl };
    await expect(verifyBundle(deps, await goodBundle(phone), new Date())).rejects.toMatchObject({
      rule: 'chain',
    });
  });

  it('must be certified by a people CA, not by a services CA with its name and key', async () => {
    const place = join(ownPlatform().dataDir, 'keys');
    const { certificate, kid } = keys.peopleCa;
    const der = await issueCertificate({
      role: 'services-ca',
      commonName: 'trustcheck people CA',
      spki: new Uint8Array(certificate.publicKey.export({ type: 'spki', format: 'der' })),
      issuer: loadRootSigner(place),
      serial: newSerial(randomIds.bytes),
      notBefore: certificate.validFromDate,
      notAfter: certificate.validToDate,
      issuerUrl: `${baseUrl}/pki/${keys.root.kid}`,
    });
    const peopleCa = { ...keys.peopleCa, certificate: new X509Certificate(der) };
    expect(peopleCa.kid).toBe(kid);
    const deps = { db, keys: { ...keys, peopleCa }, baseUrl };
    await expect(verifyBundle(deps, await goodBundle(phone), new Date())).rejects.toMatchObject({
      rule: 'chain',
    });
  });
});

describe('bundleRules', () => {
  it('have a reason for the log each', () => {
    for (const reason of Object.values(bundleRules)) expect(reason.length).toBeGreaterThan(10);
  });
});

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/** Returns the second valid signature: (r, n − s). */
function mirrored(token: string): string {
  const [head = '', body = '', tail = ''] = token.split('.');
  const bytes = Buffer.from(tail, 'base64url');
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const half = Buffer.from(s.toString(16).padStart(64, '0'), 'hex');
  return `${head}.${body}.${Buffer.concat([bytes.subarray(0, 32), half]).toString('base64url')}`;
}
