import { createHash, timingSafeEqual } from 'node:crypto';
import { findApiKey, noteKeyUse } from '../../../../db/queries/credentials.ts';
import { roles, type Role } from '../../../../domain/names.ts';
import { scopesIn } from '../../../../domain/scopes.ts';
import { Failure } from '../../../../workflows/failures.ts';
import type { Caller } from '../caller.ts';
import type { AuthDeps } from './has-expired.ts';

const form = /^tk_(live|test)_([0-9a-z]{12})_([0-9a-z]{32})$/;
const noHash = Buffer.alloc(32);

/** Returns the stored hash of a key. A key has 160 random bits, so a plain SHA-256 is enough. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Finds the caller of an API key. The same look-up and comparison run for unknown, revoked and
 * expired keys. Only a caller who has the whole secret learns that the key has expired.
 * @throws Failure `credential_malformed`, `credential_invalid` or `credential_expired`
 */
export async function authenticateApiKey(
  deps: AuthDeps,
  key: string,
  now: Date,
): Promise<Extract<Caller, { kind: 'api-key' }>> {
  const match = form.exec(key);
  if (!match) {
    throw new Failure('credential_malformed', {
      detail: 'The API key is incomplete or changed. Copy the whole key again',
    });
  }
  const keyId = `tk_${match[1]}_${match[2]}`;
  const row = await findApiKey(deps.db, keyId);
  const isSame = timingSafeEqual(hashApiKey(key), row?.hash ?? noHash);
  if (!row || !isSame || row.revoked_at !== null) throw new Failure('credential_invalid');
  if (row.expires_at !== null && row.expires_at <= now) throw new Failure('credential_expired');
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() > 60_000) {
    await noteKeyUse(deps.db, row.key_id, now);
  }
  return {
    kind: 'api-key',
    keyId: row.key_id,
    accountId: row.account_id,
    // POLYADMIN is for people only: a key never has it, even if its row does.
    roles: row.roles.filter((role): role is Role => isRole(role) && role !== 'POLYADMIN'),
    livemode: row.livemode,
    scopes: row.scopes && scopesIn(row.scopes),
    appIds: row.app_ids,
    expiresAt: row.expires_at,
  };
}

function isRole(role: string): role is Role {
  return (roles as readonly string[]).includes(role);
}
