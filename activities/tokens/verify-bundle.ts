import type { Queryable } from '../../db/client.ts';
import type { PlatformKeys } from '../certificates/load-keys.ts';
import { bundleTyp } from './bundle.ts';
import {
  checkAssurance,
  checkAudience,
  checkIssuer,
  checkLifetime,
  checkVerifiedClaims,
  spendJti,
  takeNonce,
  type BundleAudience,
} from './bundle-claims.ts';
import { checkChain, checkRevocation, checkSignature, findHolder } from './bundle-key.ts';
import { hold } from './bundle-refused.ts';
import type { ReadClaimsToken } from './claims-token.ts';
import { hasPlainHeader, parseJws, tokenBytesMax, type ParsedJws } from './jws.ts';

export interface BundleDeps {
  readonly db: Queryable;
  readonly keys: Pick<PlatformKeys, 'root' | 'peopleCa' | 'retired' | 'tokens'>;
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
  const jws = checkForm(token);
  const holder = await findHolder(deps.db, jws, now);
  checkSignature(jws, holder);
  checkChain(deps.keys, jws, holder, now);
  checkRevocation(deps.keys, holder);
  checkIssuer(deps.baseUrl, jws.claims, holder);
  const { audience, appId } = await checkAudience(deps, jws.claims);
  const nonce = await takeNonce(deps.db, jws.claims, now);
  await spendJti(deps.db, jws.claims, holder, now);
  const authTime = checkLifetime(jws.claims, now);
  const verifiedClaims = checkVerifiedClaims(deps, jws.claims, holder, now);
  checkAssurance(jws.claims, holder);
  const { polyUserId, row } = holder;
  const proved = { polyUserId, deviceId: row.device_id, audience, appId };
  return { ...proved, authTime, nonce, verifiedClaims };
}

/** RFC 8725 §3.1, §3.10–3.11: one algorithm, no keys or processing by the header, one type. */
function checkForm(token: string): ParsedJws {
  hold('size', token.length <= tokenBytesMax);
  const jws = parseJws(token);
  hold('form', jws !== null);
  hold('alg', jws.header['alg'] === 'ES256');
  hold('header', hasPlainHeader(jws));
  hold('typ', jws.header['typ'] === bundleTyp);
  return jws;
}
