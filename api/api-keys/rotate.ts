import { findKeyOf, replaceApiKey } from '../../db/queries/api-keys.ts';
import type { ApiKeyRow } from '../../db/queries/credentials.ts';
import { rolesIn } from '../../domain/names.ts';
import { scopesIn } from '../../domain/scopes.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { apiKeyContracts } from './contract.ts';
import { deriveKeys, assertWithinRights, storedOrNew, storeKey } from './make.ts';
import { presentApiKey } from './present.ts';

/**
 * Replaces a key by a new one with the same rights, and shortens the lifetime of the old one. The
 * same seed derives the same new key, so a repeated request returns it again.
 */
export const rotate = handler(apiKeyContracts.rotate)(async (
  input,
  deps: Pick<Deps, 'db' | 'keys'>,
) => {
  const { account_id: accountId, key_id: keyId } = input.path;
  const { now } = input.call;
  const until = new Date(now.getTime() + input.body.expires_in * 1000);
  const from = { accountId, livemode: keyId.startsWith('tk_live_'), seed: input.seed };
  const all = deriveKeys(deps.keys, from, now);
  const { row, key } = await withAccountTransaction(
    deps,
    input,
    accountId,
    async (administered) => {
      const { tx, caller, note } = administered;
      const old = await findKeyOf(tx, accountId, keyId);
      if (!old) throw new Failure('not_found');
      const derived = await storedOrNew(tx, accountId, all);
      const isRepeated = old.replaced_by === derived.id;
      if (!isRepeated) assertReplaceable(old, now);
      const { name, livemode, app_ids, expires_at } = old;
      const scopes = old.scopes && scopesIn(old.scopes);
      const given = { name, roles: rolesIn(old.roles), livemode, scopes, app_ids, expires_at };
      assertWithinRights(caller, given, ['path', 'key_id']);
      const made = await storeKey(administered, derived, given, now);
      if (isRepeated) return { row: made, key: derived.key };
      const change = { accountId, keyId, replacedBy: derived.id, until };
      const replaced = await replaceApiKey(tx, change, now);
      if (!replaced) throw new Error('a key changed under the lock of its account');
      const { replaced_by, expires_at: ends } = replaced;
      await note('api_key.rotated', keyId, { to: { replaced_by, expires_at: ends } });
      return { row: made, key: derived.key };
    },
  );
  return { status: 201, body: { ...presentApiKey(row), api_key: key } };
});

/** @throws Failure `key_rotated`, `key_ended` */
function assertReplaceable({ replaced_by, revoked_at, expires_at }: ApiKeyRow, now: Date): void {
  if (revoked_at || (expires_at && expires_at <= now)) throw new Failure('key_ended');
  if (replaced_by) throw new Failure('key_rotated', { extra: { replaced_by } });
}
