import type { AccountRow } from '../../db/queries/accounts.ts';

/** An account as the API shows it. */
export function presentAccount(row: AccountRow) {
  const { account_id, name, logo_url, verified, image_retention_days, face_provider } = row;
  const created_at = row.created_at.toISOString();
  const settings = { image_retention_days, face_provider };
  return { account_id, name, logo_url, verified, ...settings, created_at };
}
