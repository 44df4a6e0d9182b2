import { openLoginEmail } from '../../activities/identity/email/answer.ts';
import type { ListedLoginEmail } from '../../db/queries/login-emails.ts';
import type { Deps } from '../deps.ts';
import { openDeviceLabel } from '../sign-in/device-label.ts';

/** Returns a login email as its owner sees it. */
export async function presentLoginEmail(deps: Pick<Deps, 'sealer'>, row: ListedLoginEmail) {
  return {
    identity_id: row.identity_id,
    email: await openLoginEmail(deps, row),
    status: row.status,
    poly_user_id: row.poly_user_id,
    is_primary: row.is_primary,
    verified_at: row.verified_at?.toISOString() ?? null,
    last_login_at: row.last_login_at?.toISOString() ?? null,
    last_device_label: await openDeviceLabel(
      deps.sealer,
      row.last_sid,
      row.last_device_label_sealed,
    ),
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
