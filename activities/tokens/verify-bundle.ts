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
  /** The platform's base URL: the issuer of its tokens, and what audiences begin with. */
  readonly baseUrl: string;
}

/** What a good bundle proves. */
export interface VerifiedBundle {
  readonly polyUserId: string;
  /** Whose key signed it. */
  readonly deviceId: string | null;
  readonly audience: BundleAudience;
  /** The app that had it made (`azp`), when it says so. */
  readonly appId: string | null;
  readonly authTime: Date;
  /** The challenge of ours it was made on, which it has spent. */
  readonly nonce: string | null;
  /** What the platform proved of the person earlier, when the bundle carries it. */
  readonly verifiedClaims: ReadClaimsToken | null;
}

/** A bundle as far as its single use: what else it is held to, and by what it is used up. */
interface OpenedBundle {
  readonly spending: Spending;
  /** What its subject can act under, read with the key. */
  readonly memberships: readonly Membership[];
  /** The rules that come after its single use. */
  judge(): Promise<VerifiedBundle>;
}

/**
 * Verifies a verification bundle, each rule after the other: size, algorithm, type, the key among
 * the current ones of its subject, chain, revocation, audience, nonce, single use, life, the claims
 * it carries, assurance. What is spent on the way (nonce, jti) is spent whatever the later rules
 * say; only the holder of the key gets that far.
 * @throws BundleRefused with the first rule it breaks
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
 * The same for what is written once by a bundle: `use` spends it with what it writes, by
 * `spending`, and holds `jti`. A bundle that a later rule refuses, be it one of `use`, is spent
 * before that is told, so that whoever watches sees one order of the rules.
 * @param use given the subject's memberships, too; changes nothing but by that one statement
 * @throws BundleRefused with the first rule it breaks
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

/** RFC 8725 §3.1, §3.10–3.11: one algorithm, no keys or processing by the header, one type. */
function checkForm(token: string): ParsedJws {
  assertRule('size', token.length <= tokenBytesMax);
  const jws = parseJws(token);
  assertRule('form', jws !== null);
  assertRule('alg', jws.header['alg'] === 'ES256');
  assertRule('header', hasPlainHeader(jws));
  assertRule('typ', jws.header['typ'] === bundleTyp);
  return jws;
}
