import type { Queryable } from '../../db/client.ts';
import { asMemberships, type Membership } from '../../db/queries/memberships.ts';
import { spendToken, type Spending } from '../../db/queries/spent-tokens.ts';
import { BundleRefused, assertRule } from '../../domain/tokens/bundle-refused.ts';
import { bundleTyp } from '../../domain/tokens/bundle.ts';
import {
  hasPlainHeader,
  parseJws,
  tokenBytesMax,
  type ParsedJws,
} from '../../domain/tokens/jws.ts';
import type { PlatformKeys } from '../keys/directory/load-keys.ts';
import {
  checkAssurance,
  checkAudience,
  checkIssuer,
  checkLifetime,
  checkVerifiedClaims,
  spendingOf,
  takeNonce,
  type BundleAudience,
} from './bundle-claims.ts';
import { checkChain, checkRevocation, checkSignature, findHolder } from './bundle-key.ts';
import type { ReadClaimsToken } from './claims-token.ts';

export interface BundleDeps {
  readonly db: Queryable;
  readonly keys: Pick<PlatformKeys, 'root' | 'peopleCa' | 'retired' | 'nextCas' | 'tokenKey'>;
  /** Base URL of the platform: issuer of its tokens, and prefix of audiences. */
  readonly baseUrl: string;
}

/** Contents of a valid bundle. */
export interface VerifiedBundle {
  readonly polyUserId: string;
  /** Device of the signing key. */
  readonly deviceId: string | null;
  readonly audience: BundleAudience;
  /** App that requested the bundle (`azp`), if stated. */
  readonly appId: string | null;
  readonly authTime: Date;
  /** Our challenge, which the bundle has used up. */
  readonly nonce: string | null;
  /** What the platform proved of the person earlier, if the bundle carries it. */
  readonly verifiedClaims: ReadClaimsToken | null;
}

/** A bundle before its single use is recorded. */
interface OpenedBundle {
  readonly spending: Spending;
  /** Memberships of its subject, read together with the key. */
  readonly memberships: readonly Membership[];
  /** Checks the rules that come after the single use. */
  judge(): Promise<VerifiedBundle>;
}

/**
 * Verifies a bundle, one rule after the other: size, algorithm, type, key among the subject's
 * current ones, chain, revocation, audience, nonce, single use, life, claims, assurance. The nonce
 * and `jti` are used up even if a later rule fails; only the holder of the key gets that far.
 * @throws BundleRefused with the first broken rule
 */
export async function verifyBundle(
  deps: BundleDeps,
  token: string,
  now: Date,
): Promise<VerifiedBundle> {
  const { spending, judge } = await openBundle(deps, token, now);
  await spend(deps, spending, now);
  return judge();
}

/**
 * Verifies a bundle that is used up by a write. `use` records `spending` in the same statement as
 * its write. If a later rule or `use` refuses, the bundle is used up before the error is thrown, so
 * that the order of the rules looks the same from outside.
 * @param use receives the subject's memberships, too, and writes only by that one statement
 * @throws BundleRefused with the first broken rule
 */
export async function useBundle<T>(
  deps: BundleDeps,
  token: string,
  now: Date,
  use: (
    bundle: VerifiedBundle,
    memberships: readonly Membership[],
    spending: Spending,
  ) => Promise<T>,
): Promise<T> {
  const { spending, memberships, judge } = await openBundle(deps, token, now);
  try {
    return await use(await judge(), memberships, spending);
  } catch (error) {
    if (error instanceof BundleRefused && error.rule !== 'jti') await spend(deps, spending, now);
    throw error;
  }
}

async function spend({ db }: BundleDeps, { jti, keptUntil }: Spending, now: Date): Promise<void> {
  assertRule('jti', await spendToken(db, jti, keptUntil, now));
}

async function openBundle(deps: BundleDeps, token: string, now: Date): Promise<OpenedBundle> {
  const jws = checkForm(token);
  const holder = await findHolder(deps.db, jws, now);
  await checkSignature(jws, holder);
  checkChain(deps.keys, jws, holder, now);
  checkRevocation(deps.keys, holder);
  checkIssuer(deps.baseUrl, jws.claims, holder);
  const { audience, appId } = await checkAudience(deps, jws.claims);
  const nonce = await takeNonce(deps.db, jws.claims, now);
  const { polyUserId, row } = holder;
  const proved = { polyUserId, deviceId: row.device_id, audience, appId };
  const judge = async (): Promise<VerifiedBundle> => {
    const authTime = checkLifetime(jws.claims, now);
    const verifiedClaims = await checkVerifiedClaims(deps, jws.claims, holder, now);
    checkAssurance(jws.claims, holder);
    return { ...proved, authTime, nonce, verifiedClaims };
  };
  const memberships = asMemberships(holder.row.memberships);
  return { spending: spendingOf(jws.claims, holder, now), memberships, judge };
}

/** RFC 8725 §3.1, §3.10–3.11: one algorithm, one type, and no keys or processing by the header. */
function checkForm(token: string): ParsedJws {
  assertRule('size', token.length <= tokenBytesMax);
  const jws = parseJws(token);
  assertRule('form', jws !== null);
  assertRule('alg', jws.header['alg'] === 'ES256');
  assertRule('header', hasPlainHeader(jws));
  assertRule('typ', jws.header['typ'] === bundleTyp);
  return jws;
}
