import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare, total } from '../prepare.ts';
import { and } from '../schema/drizzle.ts';
import { ssoProviders } from '../schema/sso-providers.ts';

export type SsoProviderRow = typeof ssoProviders.$inferSelect;

const { account_id, provider } = ssoProviders;

const columns = `account_id, kind, enabled, issuer, client_id, client_secret_sealed, audience,
  client_ids, token_type, email_domains, group_claim, group_roles, role_ceiling, created_at,
  updated_at`;
const put = statement<SsoProviderRow>(
  'sso_providers.put',
  `INSERT INTO sso_providers (provider, ${columns})
   VALUES (:provider, :account_id, :kind, :enabled, :issuer, :client_id, :client_secret_sealed,
     :audience, :client_ids, :token_type, :email_domains, :group_claim, :group_roles::jsonb,
     :role_ceiling, :created_at, :updated_at)
   ON CONFLICT (provider) DO UPDATE SET (${columns}) = (excluded.account_id, excluded.kind,
     excluded.enabled, excluded.issuer, excluded.client_id, excluded.client_secret_sealed,
     excluded.audience, excluded.client_ids, excluded.token_type, excluded.email_domains,
     excluded.group_claim, excluded.group_roles, excluded.role_ceiling, sso_providers.created_at,
     excluded.updated_at)
   WHERE sso_providers.account_id = excluded.account_id RETURNING *`,
);
const find = statement<SsoProviderRow>(
  'sso_providers.find',
  `SELECT p.* FROM sso_providers p JOIN accounts a USING (account_id)
   WHERE p.provider = :provider AND p.enabled AND a.disabled_at IS NULL`,
);
const lock = prepare('sso_providers.lock', { account_id, provider }, ({ equals }) =>
  build.select().from(ssoProviders).where(and(equals.account_id, equals.provider)).for('update'),
);
const page = statement<SsoProviderRow>(
  'sso_providers.page',
  `SELECT * FROM sso_providers
   WHERE account_id = :accountId ORDER BY provider LIMIT :limit OFFSET :offset`,
);
const count = prepare('sso_providers.count', { account_id }, ({ equals }) =>
  build.select({ total }).from(ssoProviders).where(equals.account_id),
);
const remove = prepare('sso_providers.remove', { account_id, provider }, ({ equals }) =>
  build.delete(ssoProviders).where(and(equals.account_id, equals.provider)).returning(),
);

/**
 * Returns a provider by its name, in any account. Sessions from its access tokens act only in its
 * own account. Returns null if it is unknown or disabled, or its account is disabled.
 */
export async function findSsoProvider(
  on: Queryable,
  provider: string,
): Promise<SsoProviderRow | null> {
  return firstOf(await find(on, { provider }));
}

/** Seal context of a provider's client secret. The owner is the account. */
export const ssoSecretContext = (provider: string): string =>
  `sso_providers|client_secret|${provider}`;

/** Returns a provider of this account, locked until the transaction ends. */
export async function lockSsoProvider(
  tx: Tx,
  accountId: number,
  provider: string,
): Promise<SsoProviderRow | null> {
  return firstOf(await lock(tx, { account_id: accountId, provider }));
}

/** Creates or replaces a provider. Returns null if another account has a provider with the name. */
export async function putSsoProvider(tx: Tx, row: SsoProviderRow): Promise<SsoProviderRow | null> {
  return firstOf(
    await put(tx, {
      provider: row.provider,
      account_id: row.account_id,
      kind: row.kind,
      enabled: row.enabled,
      issuer: row.issuer,
      client_id: row.client_id,
      client_secret_sealed: row.client_secret_sealed,
      audience: row.audience,
      client_ids: row.client_ids,
      token_type: row.token_type,
      email_domains: row.email_domains,
      group_claim: row.group_claim,
      group_roles: JSON.stringify(row.group_roles),
      role_ceiling: row.role_ceiling,
      created_at: row.created_at,
      updated_at: row.updated_at,
    }),
  );
}

/** Returns a page of an account's providers by name, and the total count. */
export async function listSsoProviders(
  on: Queryable,
  accountId: number,
  [limit, offset]: readonly [number, number],
) {
  return withTotal(page(on, { accountId, limit, offset }), count(on, { account_id: accountId }));
}

/** Removes a provider. Returns null if the account has none with the name. */
export async function removeSsoProvider(
  tx: Tx,
  accountId: number,
  provider: string,
): Promise<SsoProviderRow | null> {
  return firstOf(await remove(tx, { account_id: accountId, provider }));
}
