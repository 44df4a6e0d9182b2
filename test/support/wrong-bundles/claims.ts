import type { BundleRule } from '../../../domain/tokens/bundle-refused.ts';
import type { Device } from '../../../simulator/device/device.ts';
import {
  changedBundle,
  encode,
  kidOfDevice,
  plainParts,
  signSegments,
  type Members,
} from '../keys/bundles.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import type { WrongBundle } from './wrong-bundle.ts';

export function wrongClaims(mine: Device, other: Device): WrongBundle[] {
  const { baseUrl, own } = ownPlatform();
  const { iss } = plainParts(mine).claims;
  const wrong: Partial<Record<BundleRule, Record<string, readonly unknown[]>>> = {
    issuer: {
      iss: [
        'https://elsewhere.test',
        baseUrl,
        `${baseUrl}/users/${other.enrolled?.polyUserId ?? ''}`,
        `${String(iss)}/`,
        `${String(iss)}/.well-known/jwks.json`,
        String(iss).toUpperCase(),
        [iss],
        null,
        undefined,
      ],
    },
    audience: {
      aud: [
        'https://elsewhere.test',
        `${baseUrl}/`,
        `${baseUrl}/v2/trust-checks`,
        `${baseUrl}/apps/`,
        `${baseUrl}/apps/no-such-app`,
        `${baseUrl}/apps/${own.app_id.toUpperCase()}`,
        `${baseUrl}/apps/${own.app_id}/`,
        `${baseUrl}/apps/../accounts/${own.account_id}`,
        `${baseUrl}/accounts/0`,
        `${baseUrl}/accounts/0${own.account_id}`,
        `${baseUrl}/accounts/1e0`,
        `${baseUrl}/accounts/-1`,
        `${baseUrl}/accounts/99999999999`,
        [baseUrl],
        [baseUrl, 'https://elsewhere.test'],
        [],
        '',
        null,
        7,
        undefined,
      ],
      azp: ['Not An App', '', 7, [own.app_id]],
    },
    nonce: { nonce: ['', 'short', 'A'.repeat(43), 7, null, ['A'.repeat(43)]] },
    jti: { jti: ['', 'short', 'with spaces in between', 'x'.repeat(129), 7, null, undefined] },
    acr: {
      acr: ['urn:trustcheck:assurance:email', 'urn:other', '', ['urn:x'], null, undefined],
      amr: [[], ['otp'], 'hwk', null],
      cnf: [{}, { jkt: kidOfDevice(other) }, { jkt: 7 }, { jwk: {} }, null, 'x'],
    },
  };
  const made: WrongBundle[] = [];
  for (const [rule, members] of Object.entries(wrong)) {
    for (const [name, values] of Object.entries(members)) {
      for (const value of values) {
        const token = changedBundle(mine, { claims: { [name]: value } });
        const what = `${name} ${JSON.stringify(value)?.slice(0, 100)}`;
        made.push({ what, token, rule: rule as BundleRule });
      }
    }
  }
  return made;
}

export function wrongTimes(mine: Device): WrongBundle[] {
  // One time for all claims: a second may pass while they are created.
  const now = new Date();
  const at = Math.floor(now.getTime() / 1000);
  const spans: Record<string, Members> = {
    'expired over a minute ago': {
      iat: at - 300,
      nbf: at - 300,
      auth_time: at - 300,
      exp: at - 61,
    },
    'a life of ten minutes and a second': { exp: at + 601 },
    'a life of a year': { exp: at + 365 * 86_400 },
    'issued in two minutes': { iat: at + 120, exp: at + 400 },
    'not before two minutes': { nbf: at + 120 },
    'not before its end': { nbf: at + 50, exp: at + 40 },
    'an end before its beginning': { exp: at - 1 },
    'an end at its beginning': { exp: at },
    'shown after it was issued': { auth_time: at + 1 },
    'issued at no time': { iat: undefined },
    'without an end': { exp: undefined },
    'exp as text': { exp: String(at + 300) },
    'iat as text': { iat: String(at) },
    'nbf as text': { nbf: String(at) },
    'auth_time as text': { auth_time: String(at) },
    'a fraction of a second': { exp: at + 300.5 },
    'exp null': { exp: null },
    'exp in milliseconds': { exp: at * 1000 },
    'iat in milliseconds': { iat: at * 1000, exp: at * 1000 + 300 },
    'from before the epoch': { iat: -1 },
  };
  const endless = JSON.stringify(plainParts(mine).claims).replace(/"exp":\d+/, '"exp":1e999');
  const { header } = plainParts(mine);
  const never = signSegments(encode(header), encode(endless), mine.signingKey);
  return [
    ...Object.entries(spans).map(([what, claims]) => ({
      what,
      token: changedBundle(mine, { claims, now }),
      rule: 'lifetime' as const,
    })),
    { what: 'an end beyond all numbers', token: never, rule: 'lifetime' },
  ];
}
