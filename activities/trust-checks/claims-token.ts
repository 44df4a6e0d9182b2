import type { Db } from '../../db/client.ts';
import { findDevice } from '../../db/queries/devices.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import type { PlatformKeys } from '../keys/directory/load-keys.ts';
import {
  mintAffidavitClaims,
  mintClaimsToken,
  type ClaimsTokenRequest,
} from '../tokens/claims-token.ts';
import { createClaimsOpener } from './claims.ts';
import { describeVerification } from './describe-verification.ts';

export interface ClaimsTokenDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly keys: Pick<PlatformKeys, 'tokens'>;
  readonly baseUrl: string;
}

interface Mint {
  readonly jti: string;
  readonly now: Date;
}

/**
 * Returns the claims token of a passed check, for its subject and bound to the signing key of its
 * phone. Returns null if that phone is revoked, if no claims may be released, or for a forced
 * result of a test check, which proves nothing.
 */
export async function claimsTokenOf(
  deps: ClaimsTokenDeps,
  row: TrustCheckRow,
  { jti, now }: Mint,
): Promise<string | null> {
  const request = await requestOf(deps, row, jti);
  return request && mintClaimsToken(deps.keys.tokens, deps.baseUrl, request, now);
}

/** Returns the same claims for an affidavit. They cannot be used to sign in. */
export async function affidavitClaimsOf(
  deps: ClaimsTokenDeps,
  row: TrustCheckRow,
  { jti, now }: Mint,
): Promise<string | null> {
  const request = await requestOf(deps, row, jti);
  return request && mintAffidavitClaims(deps.keys.tokens, deps.baseUrl, request, now);
}

async function requestOf(
  deps: ClaimsTokenDeps,
  row: TrustCheckRow,
  jti: string,
): Promise<ClaimsTokenRequest | null> {
  if (row.status !== 'passed' || row.poly_user_id === null || row.device_id === null) return null;
  if (row.sandbox_subject !== null) return null;
  const released = await createClaimsOpener(deps.sealer)(row);
  const verifiedClaims = describeVerification(row, released);
  const device = await findDevice(deps.db, row.device_id);
  const isItsOwn = device?.poly_user_id === row.poly_user_id && device.revoked_at === null;
  if (verifiedClaims.length === 0 || !isItsOwn) return null;
  const isAttested = row.proofs.some(
    ({ type, status }) => type === 'device' && status === 'passed',
  );
  const time = row.decided_at?.toISOString();
  return {
    polyUserId: row.poly_user_id,
    jti,
    verifiedClaims,
    keyThumbprint: device.signing_kid,
    deviceAttestation: isAttested ? { platform: device.platform, verdict: 'passed', time } : null,
  };
}
