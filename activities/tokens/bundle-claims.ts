import type { Queryable } from '../../db/client.ts';
import { hashOfChallenge, takeChallenge } from '../../db/queries/challenges.ts';
import { findApp } from '../../db/queries/credentials.ts';
import type { Spending } from '../../db/queries/spent-tokens.ts';
import { assertRule } from '../../domain/tokens/bundle-refused.ts';
import { bundleIssuer, bundleLifeMsMax, certAssurance } from '../../domain/tokens/bundle.ts';
import type { TokenKeys } from '../../domain/tokens/token-keys.ts';
import type { Holder } from './bundle-key.ts';
import { readClaimsToken, thumbprintIn, type ReadClaimsToken } from './claims-token.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Audience of a bundle. Its `aud` must be exactly one of our URLs. */
export type BundleAudience =
  | { readonly kind: 'platform' }
  | { readonly kind: 'app'; readonly appId: string; readonly accountId: number }
  | { readonly kind: 'account'; readonly accountId: number };

const skewSeconds = 60;
const appForm = /^[a-z0-9][a-z0-9-]{2,62}$/;
const accountForm = /^[1-9]\d{0,9}$/;
const jtiForm = /^[A-Za-z0-9_-]{16,128}$/;
const nonceForm = /^[A-Za-z0-9_-]{43}$/;

/** OpenID Connect Core §3.1.3.7 (2): the issuer must exactly match the used key set. */
export function checkIssuer(baseUrl: string, { iss }: Claims, { polyUserId }: Holder): void {
  assertRule('issuer', iss === bundleIssuer(baseUrl, polyUserId));
}

/** OpenID Connect Core §3.1.3.7 (3–5): one audience, which is ours, and `azp` must match it. */
export async function checkAudience(
  deps: { readonly db: Queryable; readonly baseUrl: string },
  { aud, azp }: Claims,
): Promise<{ audience: BundleAudience; appId: string | null }> {
  assertRule('audience', typeof aud === 'string');
  assertRule('audience', azp === undefined || (typeof azp === 'string' && appForm.test(azp)));
  const audience = await audienceOf(deps, aud);
  assertRule('audience', audience !== null);
  assertRule('audience', audience.kind !== 'app' || azp === undefined || azp === audience.appId);
  return { audience, appId: azp ?? null };
}

async function audienceOf(
  { db, baseUrl }: { readonly db: Queryable; readonly baseUrl: string },
  aud: string,
): Promise<BundleAudience | null> {
  if (aud === baseUrl) return { kind: 'platform' };
  const [apps, accounts] = [`${baseUrl}/apps/`, `${baseUrl}/accounts/`];
  if (aud.startsWith(accounts)) {
    const id = aud.slice(accounts.length);
    return accountForm.test(id) ? { kind: 'account', accountId: Number(id) } : null;
  }
  const appId = aud.startsWith(apps) ? aud.slice(apps.length) : '';
  const app = appForm.test(appId) ? await findApp(db, appId) : null;
  return app && { kind: 'app', appId, accountId: app.account_id };
}

/**
 * Takes the challenge that a bundle's nonce names. A device challenge works once. Returns the
 * nonce, or null if the bundle has none.
 */
export async function takeNonce(
  on: Queryable,
  { nonce }: Claims,
  now: Date,
): Promise<string | null> {
  if (nonce === undefined) return null;
  assertRule('nonce', typeof nonce === 'string' && nonceForm.test(nonce));
  assertRule('nonce', await takeChallenge(on, hashOfChallenge(nonce), 'enroll', now));
  return nonce;
}

/**
 * Returns the single-use record of a bundle (RFC 7519 §4.1.7). It is kept for the longest time that
 * a bundle presented now can be valid. That is never shorter than until its own `exp`, and a far
 * `exp` does not prolong it.
 */
export function spendingOf({ jti }: Claims, { polyUserId }: Holder, now: Date): Spending {
  assertRule('jti', typeof jti === 'string' && jtiForm.test(jti));
  const keptUntil = new Date(now.getTime() + bundleLifeMsMax + 2 * skewSeconds * 1000);
  return { jti: `bundle|${polyUserId}|${jti}`, keptUntil };
}

/**
 * Checks RFC 7519 §4.1.4–4.1.6 in whole seconds, with a minute of skew for a phone's clock and a
 * life of at most ten minutes.
 * @returns when the person authenticated on the phone, never later than `now`
 */
export function checkLifetime({ iat, nbf, exp, auth_time: authTime }: Claims, now: Date): Date {
  const at = now.getTime() / 1000;
  assertRule('lifetime', isSeconds(iat) && isSeconds(exp));
  assertRule('lifetime', exp > iat && exp - iat <= bundleLifeMsMax / 1000);
  assertRule('lifetime', at < exp + skewSeconds && iat <= at + skewSeconds);
  assertRule(
    'lifetime',
    nbf === undefined || (isSeconds(nbf) && nbf <= at + skewSeconds && nbf < exp),
  );
  assertRule('lifetime', authTime === undefined || (isSeconds(authTime) && authTime <= iat));
  return new Date(Math.min((authTime ?? iat) * 1000, now.getTime()));
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * Checks the claims in a bundle: an aggregated claim (OpenID Connect Core §5.6.2) that we signed,
 * for this subject and key, and still current. Rejects claims that the phone itself asserts.
 * Returns null if there are none.
 */
export async function checkVerifiedClaims(
  deps: { readonly keys: TokenKeys; readonly baseUrl: string },
  claims: Claims,
  { polyUserId, kid }: Pick<Holder, 'polyUserId' | 'kid'>,
  now: Date,
): Promise<ReadClaimsToken | null> {
  const { _claim_names: names, _claim_sources: sources, verified_claims: own } = claims;
  assertRule('verified_claims', own === undefined);
  if (names === undefined && sources === undefined) return null;
  const source = onlyMember(names, 'verified_claims');
  assertRule('verified_claims', typeof source === 'string');
  const token = onlyMember(onlyMember(sources, source), 'JWT');
  assertRule('verified_claims', typeof token === 'string');
  const read = await readClaimsToken(deps.keys, deps.baseUrl, token, now);
  assertRule('verified_claims', read !== null);
  assertRule('verified_claims', read.polyUserId === polyUserId && read.keyThumbprint === kid);
  return read;
}

/** Returns the value of an object's only member if it has this name, or else undefined. */
function onlyMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [[only, inner] = [], ...more] = Object.entries(value);
  return only === name && more.length === 0 ? inner : undefined;
}

/** RFC 9470 §3 (acr), RFC 8176 (amr), RFC 7800 §3.1 (cnf): a certified key, and this one. */
export function checkAssurance({ acr, amr, cnf }: Claims, { kid }: Pick<Holder, 'kid'>): void {
  assertRule('acr', acr === certAssurance);
  assertRule('acr', amr === undefined || (Array.isArray(amr) && amr.includes('hwk')));
  assertRule('acr', cnf === undefined || thumbprintIn(cnf) === kid);
}
