import { mintClaimsToken } from '../../activities/tokens/claims-token.ts';
import { createClaimsOpener } from '../../activities/trust-checks/claims.ts';
import { describeVerification } from '../../activities/trust-checks/describe-verification.ts';
import { findDevice } from '../../db/queries/devices.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { Deps } from '../deps.ts';

export type ClaimsTokenDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'ids' | 'settings'>;

/**
 * The platform's word on a passed check for the phone that took it: for its subject, bound to its
 * signing key. Null where there is no such phone any more, or nothing was proved that may be told:
 * by a check that was made to pass, nothing was.
 */
export async function claimsTokenOf(
  deps: ClaimsTokenDeps,
  row: TrustCheckRow,
  now: Date,
): Promise<string | null> {
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
  return mintClaimsToken(
    deps.keys.tokens,
    deps.settings.baseUrl,
    {
      polyUserId: row.poly_user_id,
      jti: deps.ids.make('jti'),
      verifiedClaims,
      keyThumbprint: device.signing_kid,
      deviceAttestation: isAttested ? { platform: device.platform, verdict: 'passed', time } : null,
    },
    now,
  );
}
