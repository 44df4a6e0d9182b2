import type { SsoProviderRow } from '../../db/queries/sso-providers.ts';

/** Returns a provider as the API shows it, without its secret. */
export function presentSsoProvider(row: SsoProviderRow) {
  const { client_secret_sealed: sealed, created_at, updated_at, ...shown } = row;
  return {
    ...shown,
    has_client_secret: sealed !== null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
