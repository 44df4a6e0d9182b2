import type { ApiKeyRow } from '../../db/queries/credentials.ts';
import { rolesIn } from '../../domain/names.ts';
import { scopesIn } from '../../domain/scopes.ts';

/** Returns a key as the API shows it, without its secret: only the hash is stored. */
export function presentApiKey(row: ApiKeyRow) {
  return {
    key_id: row.key_id,
    account_id: row.account_id,
    name: row.name,
    roles: rolesIn(row.roles),
    livemode: row.livemode,
    scopes: row.scopes && scopesIn(row.scopes),
    app_ids: row.app_ids,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    sso_provider: row.sso_provider,
    expires_at: row.expires_at?.toISOString() ?? null,
    replaced_by: row.replaced_by,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
