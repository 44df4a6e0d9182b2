import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessTokenRefused } from '../../../activities/identity/sso/access-token-refused.ts';
import { createIssuers, type Issuers } from '../../../activities/identity/sso/issuers.ts';
import { judgeAccessToken } from '../../../activities/identity/sso/judge.ts';
import {
  accessToken,
  providerRow,
  startKeyedIssuer,
  type KeyedIssuer,
} from '../../support/people/sso.ts';
import { newSigningKey, type SigningKey } from '../../support/stand-ins/oauth/issuer.ts';
import type { Forged } from './forged-claims.ts';
import { forgedTokens } from './forged.ts';

let of: KeyedIssuer;
let issuers: Issuers;
let forged: readonly Forged[];
beforeAll(async () => {
  of = await startKeyedIssuer();
  const rsa: SigningKey = newSigningKey('RS256', 'key-rsa');
  of.issuer.keys = [of.key, { ...rsa, jwk: { ...rsa.jwk, alg: 'RS256' } }];
  // The clock is fixed: the keys of the first token stay fresh for every later one.
  const now = new Date();
  issuers = createIssuers({ allowPrivate: true, clock: () => now });
  forged = forgedTokens(of, rsa);
});
afterAll(() => of.issuer.stop());

async function outcome({ token, row = {} }: Omit<Forged, 'what' | 'rule'>): Promise<string> {
  const provider = { row: providerRow(of.issuer.issuer, row), clientSecret: null };
  try {
    await judgeAccessToken(issuers, provider, token, new Date());
    return 'accepted';
  } catch (error) {
    return error instanceof AccessTokenRefused ? error.rule : `an exception: ${String(error)}`;
  }
}

describe('a forged access token', () => {
  it('is rejected by the expected rule in each of at least 150 forms', async () => {
    expect(forged.length).toBeGreaterThanOrEqual(150);
    const seen: unknown[] = [];
    for (const one of forged) seen.push([one.what, await outcome(one)]);
    expect(seen).toEqual(forged.map(({ what, rule }) => [what, rule]));
  });

  it('is distinct from all other forged tokens', () => {
    expect(new Set(forged.map(({ what }) => what)).size).toBe(forged.length);
    expect(new Set(forged.map(({ token, row }) => token + JSON.stringify(row))).size).toBe(
      forged.length,
    );
  });

  it('differs from an accepted token only in the forged part', async () => {
    expect(await outcome({ token: accessToken(of) })).toBe('accepted');
  });

  it('causes one request for the keys of the issuer', () => {
    const paths = of.issuer.requests.map(({ path }) => path);
    expect(paths).toEqual(['/.well-known/openid-configuration', '/keys']);
    expect(of.issuer.faults).toEqual([]);
  });
});
