import type { AndroidIdentity, AppleIdentity } from '../../domain/identity/app-identities.ts';
import { statement, type Queryable } from '../client.ts';

export interface AppIdentityRow {
  readonly app_id: string;
  readonly apple: AppleIdentity | null;
  readonly android: AndroidIdentity | null;
}

/** Limit of the association documents: phone vendors accept at most 128 KiB. */
const identitiesMax = 1000;

const list = statement<AppIdentityRow>(
  'apps.identities',
  `SELECT p.app_id, p.apple, p.android FROM apps p JOIN accounts a USING (account_id)
   WHERE p.status = 'active' AND a.disabled_at IS NULL
     AND (p.apple IS NOT NULL OR p.android IS NOT NULL)
   ORDER BY p.created_at, p.app_id LIMIT ${identitiesMax}`,
);

/** Returns the mobile apps of all active apps, oldest first. */
export async function listAppIdentities(on: Queryable): Promise<AppIdentityRow[]> {
  return list(on, []);
}
