import { createHmac } from 'node:crypto';
import type { MasterSecrets } from '../../activities/keys/directory/master-secrets.ts';
import type { Tx } from '../../db/client.ts';
import { addApiKey, findKeyOf } from '../../db/queries/api-keys.ts';
import type { ApiKeyRow } from '../../db/queries/credentials.ts';
import type { Role } from '../../domain/names.ts';
import type { Scope } from '../../domain/scopes.ts';
import { Failure } from '../../workflows/failures.ts';
import type { AccountTransaction } from '../accounts/access/account-transaction.ts';
import { mayGrant } from '../accounts/access/grant.ts';
import { callerName, type Caller } from '../http/auth/caller.ts';
import { hashApiKey } from '../http/auth/credentials/api-key.ts';
import { assertScope } from '../http/auth/scopes.ts';
import { InvalidRequest } from '../http/problem/problem.ts';

type Maker = Extract<Caller, { kind: 'api-key' | 'session' }>;

/** The rights and the lifetime of a key. */
export interface KeyRights {
  readonly roles: readonly Role[];
  readonly livemode: boolean;
  /** Null for all operations that the roles allow. */
  readonly scopes: readonly Scope[] | null;
  /** Null for all apps of the account. */
  readonly app_ids: readonly string[] | null;
  readonly expires_at: Date | null;
}

/** A key that is not stored yet. */
export interface DerivedKey {
  readonly id: string;
  readonly key: string;
}

/**
 * Refuses a key with more rights than its maker.
 * @param loc place of the expiry in the request, for faults
 * @throws Failure `role_required`, `insufficient_scope`
 * @throws InvalidRequest if the maker is a key that expires earlier
 */
export function assertWithinRights(caller: Maker, rights: KeyRights, loc: readonly string[]): void {
  mayGrant(caller, rights.roles);
  if (caller.kind !== 'api-key') return;
  // A key limited to apps is already refused, because keys do not belong to an app.
  assertGrantableScopes(caller, rights.scopes);
  if (!caller.expiresAt) return;
  const { expires_at: end } = rights;
  if (end && end <= caller.expiresAt) return;
  const last = caller.expiresAt.toISOString();
  throw refused(loc, `must expire no later than ${last}, the expiry of the key that makes it`);
}

/**
 * @throws Failure `insufficient_scope` if the calling key has limited scopes and the new one has
 *   others, or no limit
 */
function assertGrantableScopes(caller: Maker, given: readonly Scope[] | null): void {
  if (caller.kind !== 'api-key' || caller.scopes === null) return;
  const detail = 'The new key must have `scopes` of the key that creates it';
  if (given === null) throw new Failure('insufficient_scope', { detail });
  for (const scope of given) assertScope(caller, scope);
}

/** Stores a key and its audit row. Returns the stored key for a repeated request. */
export async function storeKey(
  { tx, account, caller, note }: AccountTransaction,
  { id, key }: DerivedKey,
  given: KeyRights & { readonly name: string },
  now: Date,
): Promise<ApiKeyRow> {
  const { account_id } = account;
  const rest = { key_id: id, account_id, hash: hashApiKey(key), created_at: now };
  const added = await addApiKey(tx, { ...given, ...rest, ...(await makerOf(tx, caller)) });
  if (added) await note('api_key.created', id, { to: given });
  const made = added ?? (await findKeyOf(tx, account_id, id));
  if (!made) throw new Error('a key was neither made nor found');
  return made;
}

/**
 * Returns the maker of a key and the membership that the key depends on. A key made by a key
 * depends on the membership of that key.
 */
async function makerOf(tx: Tx, caller: Maker) {
  const created_by = callerName(caller);
  if (caller.kind === 'session') {
    const { polyUserId, provider = null } = caller;
    return { created_by, sso_member: provider && polyUserId, sso_provider: provider };
  }
  const key = await findKeyOf(tx, caller.accountId, caller.keyId);
  const { sso_member = null, sso_provider = null } = key ?? {};
  return { created_by, sso_member, sso_provider };
}

export function refused(loc: readonly (string | number)[], msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: [...loc], msg, type: 'custom' }]);
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Input of the derivation of a new key. */
interface KeySeed {
  readonly accountId: number;
  readonly livemode: boolean;
  readonly seed: string;
}

/**
 * Derives the new key of a request. `earlier` has the keys that the same request may have made
 * before a rotation of the master secret.
 */
export function deriveKeys(
  keys: Pick<MasterSecrets, 'secret' | 'acceptedSecrets'>,
  from: KeySeed,
  now: Date,
): DerivedKeys {
  const earlier = keys.acceptedSecrets('api-key', now);
  return {
    key: deriveKey(keys.secret('api-key'), from),
    earlier: earlier.map((secret) => deriveKey(secret, from)),
  };
}

export interface DerivedKeys {
  readonly key: DerivedKey;
  readonly earlier: readonly DerivedKey[];
}

/** Returns the key that the same request has already stored, else the new one. */
export async function storedOrNew(
  tx: Tx,
  accountId: number,
  { key, earlier }: DerivedKeys,
): Promise<DerivedKey> {
  for (const each of earlier) if (await findKeyOf(tx, accountId, each.id)) return each;
  return key;
}

/** Derives an id of 60 bits and a secret of 160 bits. Only the service can do so from the seed. */
function deriveKey(secret: Uint8Array, { accountId, livemode, seed }: KeySeed): DerivedKey {
  const digest = createHmac('sha512', secret)
    .update(JSON.stringify([accountId, seed]))
    .digest();
  const letters = [...digest].map((byte) => alphabet[byte & 31]).join('');
  const id = `tk_${livemode ? 'live' : 'test'}_${letters.slice(0, 12)}`;
  return { id, key: `${id}_${letters.slice(12, 44)}` };
}
