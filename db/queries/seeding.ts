import { statement } from '../client.ts';
import type { accounts } from '../schema/accounts.ts';

/** Statements that create the first account and its people. Safe to repeat with fixed ids. */
export const addAccount = statement<typeof accounts.$inferSelect>(
  'seeding.account',
  `INSERT INTO accounts (name, verified, created_at) VALUES ($1, $2, $3) RETURNING *`,
);
export const addUser = statement(
  'seeding.user',
  `INSERT INTO poly_users (poly_user_id, identity_group_id, kind, created_at)
   VALUES ($1, $1, $2::user_kind, $3) ON CONFLICT DO NOTHING`,
);
export const addMembership = statement(
  'seeding.membership',
  `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
   VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
);
export const addApp = statement(
  'seeding.app',
  `INSERT INTO apps (app_id, account_id, name, kind, livemode, redirect_url, allowed_origins,
     default_proofs, tos_url, tos_version, install_url, apple, android, created_at)
   VALUES ($1, $2, $3, 'sdk', $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12::jsonb, $13)
   ON CONFLICT DO NOTHING`,
);
export const addApiKey = statement(
  'seeding.api_key',
  `INSERT INTO api_keys (key_id, account_id, name, hash, roles, livemode, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
/** Returns one row if the app and its admin exist in this database. */
export const isSeedKnown = statement<{ app_id: string }>(
  'seeding.known',
  `SELECT app_id FROM apps JOIN memberships USING (account_id)
   WHERE app_id = $1 AND account_id = $2 AND poly_user_id = $3`,
);
