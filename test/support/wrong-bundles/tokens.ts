import { sign } from 'node:crypto';
import { mintCheckToken } from '../../../activities/tokens/check-token.ts';
import {
  claimsTokenLifeMs,
  mintAffidavitClaims,
  mintClaimsToken,
} from '../../../activities/tokens/claims-token.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { changedBundle, encode, kidOfDevice, platformKeys, type Members } from '../keys/bundles.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import type { WrongBundle } from './wrong-bundle.ts';

export async function wrongKinds(mine: Device): Promise<WrongBundle[]> {
  const { baseUrl, own } = ownPlatform();
  const types = ['JWT', 'vbundle+JWT', 'session+jwt', 'check+jwt', 'verified-claims+jwt', 'at+jwt'];
  const odd = ['jwk-set+jwt', 'application/vbundle+jwt', 'vbundle+jwt ', '', null, undefined, 7];
  const keys = platformKeys();
  const check = await mintCheckToken(
    keys.tokens,
    baseUrl,
    { linkSessionId: 'tc_1', jkt: 'a key' },
    new Date(),
  );
  const given: Record<string, string> = {
    'a session token': own.member.session_token,
    'a check token': check.token,
    'a claims token': await claimsOf(mine),
  };
  return [
    ...[...types, ...odd].map((typ) => ({
      what: `typ ${JSON.stringify(typ)}`,
      token: changedBundle(mine, { header: { typ } }),
      rule: 'typ' as const,
    })),
    ...Object.entries(given).map(([what, token]) => ({ what, token, rule: 'typ' as const })),
    { what: 'an API key', token: own.api_key, rule: 'form' },
  ];
}

export async function wrongAggregates(mine: Device, other: Device): Promise<WrongBundle[]> {
  const { baseUrl, own } = ownPlatform();
  const good = await claimsOf(mine);
  const [head = '', body = '', tail = ''] = good.split('.');
  const past = new Date(Date.now() - claimsTokenLifeMs);
  const tokens: Record<string, unknown> = {
    'claims of another person': await claimsOf(other),
    'claims for another person by my key': await claimsOf(mine, {
      sub: other.enrolled?.polyUserId ?? '',
    }),
    'my claims for another key': await claimsOf(mine, { kid: kidOfDevice(other) }),
    'claims that have run out': await claimsOf(mine, { now: past }),
    'claims of the future': await claimsOf(mine, { now: new Date(Date.now() + 60_000) }),
    'claims of another issuer': await claimsOf(mine, { issuer: 'https://elsewhere.test' }),
    'claims under another key of ours': await claimsOf(mine, { isBySeal: true }),
    'claims I signed myself': await mintClaimsToken(
      await signerOf(mine),
      baseUrl,
      { polyUserId: '', jti: '', verifiedClaims: [], keyThumbprint: '', deviceAttestation: null },
      new Date(),
    ),
    'claims of an affidavit': await claimsOf(mine, { mint: mintAffidavitClaims }),
    'claims that were changed': `${head}.${encode({ sub: 'x' })}.${tail}`,
    'claims with alg none': `${encode({ alg: 'none', typ: 'verified-claims+jwt' })}.${body}.`,
    'a session token as claims': own.member.session_token,
    'a bundle as claims': changedBundle(mine),
    'no token as claims': '',
    'a number as claims': 7,
    'nothing as claims': undefined,
  };
  const forms: Record<string, Members> = {
    'claims it asserts itself': { verified_claims: [{ claims: { name: 'SPECIMEN' } }] },
    'claims beside its own': { ...aggregate(good), verified_claims: [] },
    'names without sources': { _claim_names: { verified_claims: 'p' } },
    'sources without names': { _claim_sources: { p: { JWT: good } } },
    'a name too many': {
      ...aggregate(good),
      _claim_names: { verified_claims: 'p', email: 'p' },
    },
    'a source too many': { ...aggregate(good), _claim_sources: { p: { JWT: good }, q: {} } },
    'another name': { ...aggregate(good), _claim_names: { email: 'p' } },
    'another source': { ...aggregate(good), _claim_names: { verified_claims: 'q' } },
    'a distributed claim': {
      ...aggregate(good),
      _claim_sources: { p: { endpoint: `${baseUrl}/claims`, access_token: 'x' } },
    },
    'names that are a list': { ...aggregate(good), _claim_names: ['verified_claims'] },
    'sources that are null': { ...aggregate(good), _claim_sources: null },
  };
  const members = Object.entries(tokens).map(([what, token]) => [what, aggregate(token)] as const);
  return [...members, ...Object.entries(forms)].map(([what, claims]) => ({
    what,
    token: changedBundle(mine, { claims }),
    rule: 'verified_claims',
  }));
}

/** The phone poses as the platform: its own key under the platform's key id. */
async function signerOf(mine: Device) {
  const { tokens } = platformKeys();
  return { ...tokens, sign: async (tbs: Uint8Array) => sign('sha256', tbs, mine.signingKey) };
}

interface ClaimsChange {
  readonly sub?: string;
  readonly kid?: string;
  readonly issuer?: string;
  readonly now?: Date;
  readonly isBySeal?: boolean;
  readonly mint?: typeof mintClaimsToken;
}

/** A claims token as the platform would mint it, with changes. */
export async function claimsOf(device: Device, change: ClaimsChange = {}): Promise<string> {
  const { baseUrl } = ownPlatform();
  const { tokens, seal } = platformKeys();
  const signer = change.isBySeal ? { ...seal, kid: tokens.kid } : tokens;
  const { mint = mintClaimsToken } = change;
  return mint(
    signer,
    change.issuer ?? baseUrl,
    {
      polyUserId: change.sub ?? device.enrolled?.polyUserId ?? '',
      jti: 'jti_of_a_test',
      verifiedClaims: [{ verification: { trust_framework: 'x' }, claims: { name: 'SPECIMEN' } }],
      keyThumbprint: change.kid ?? kidOfDevice(device),
      deviceAttestation: null,
    },
    change.now ?? new Date(),
  );
}

/** The two members of an aggregated claim. */
export const aggregate = (JWT: unknown): Members => ({
  _claim_names: { verified_claims: 'p' },
  _claim_sources: { p: { JWT } },
});
