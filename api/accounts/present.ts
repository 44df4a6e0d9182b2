import type { AccountRow } from '../../db/queries/accounts.ts';

/** Returns an account as the API shows it. */
export function presentAccount(row: AccountRow) {
  const { account_id, name, logo_url, verified } = row;
  const { image_retention_days, face_provider, subject_reasons } = row;
  const created_at = row.created_at.toISOString();
  const settings = { image_retention_days, face_provider, subject_reasons };
  return { account_id, name, logo_url, verified, ...settings, created_at };
}
