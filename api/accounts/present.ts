import type { AccountRow } from '../../db/queries/accounts.ts';

/** An account as the API shows it. */
export function presentAccount(row: AccountRow) {
  const { account_id, name, logo_url, verified } = row;
  return { account_id, name, logo_url, verified, created_at: row.created_at.toISOString() };
}
