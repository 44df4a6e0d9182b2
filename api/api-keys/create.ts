import { createHmac } from 'node:crypto';
import type { Tx } from '../../db/client.ts';
import { addApiKey, findKeyOf } from '../../db/queries/api-keys.ts';
import { administer } from '../accounts/administer.ts';
import { hashApiKey } from '../auth/api-key.ts';
import { callerName, type Caller } from '../auth/caller.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { mayGrant } from '../members/grant.ts';
import { InvalidRequest } from '../problem.ts';
import { apiKeyContracts } from './contract.ts';
import { presentApiKey } from './present.ts';

/** Makes a key. Run again under the same seed it shows the key that was made, not another. */
export const create = handler(apiKeyContracts.create)(async (
  input,
  deps: Pick<Deps, 'db' | 'keys'>,
) => {
  const { account_id } = input.path;
  const { name, roles, livemode, expires_at: expiresAt = null } = input.body;
  const { now } = input.call;
  const { id, key } = keyFrom(deps.keys.secret('api-key'), account_id, livemode, input.seed);
  const row = await administer(deps, input, account_id, async ({ tx, caller, note }) => {
    mayGrant(caller, roles);
    if (expiresAt && expiresAt <= now) throw refused('expires_at', 'lies in the past');
    if (caller.kind === 'api-key') mustNotExceed(caller, expiresAt);
    const given = { name, roles, livemode, expires_at: expiresAt };
    const rest = { key_id: id, account_id, hash: hashApiKey(key), created_at: now };
    const maker = await makerOf(tx, caller);
    const added = await addApiKey(tx, { ...given, ...rest, ...maker });
    if (added) await note('api_key.created', id, { to: given });
    const made = added ?? (await findKeyOf(tx, account_id, id));
    if (!made) throw new Error('a key was neither made nor found');
    return made;
  });
  return { status: 201, body: { ...presentApiKey(row), api_key: key } };
});

/** Who makes a key, and on whose membership it stands: the same one for what a key makes. */
async function makerOf(tx: Tx, caller: Extract<Caller, { kind: 'api-key' | 'session' }>) {
  const created_by = callerName(caller);
  if (caller.kind === 'session') {
    const { polyUserId, provider = null } = caller;
    return { created_by, sso_member: provider && polyUserId, sso_provider: provider };
  }
  const key = await findKeyOf(tx, caller.accountId, caller.keyId);
  const { sso_member = null, sso_provider = null } = key ?? {};
  return { created_by, sso_member, sso_provider };
}

/** A key that another key makes ends no later than its maker. */
function mustNotExceed(
  { expiresAt: end }: Pick<Extract<Caller, { kind: 'api-key' }>, 'expiresAt'>,
  made: Date | null,
): void {
  if (end && (made === null || made > end)) {
    throw refused('expires_at', `must be no later than ${end.toISOString()}, the end of this key`);
  }
}

function refused(field: string, msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['body', field], msg, type: 'custom' }]);
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id of 60 bits and a secret of 160, which only the platform can derive from the seed. */
function keyFrom(secret: Buffer, accountId: number, livemode: boolean, seed: string) {
  const digest = createHmac('sha512', secret)
    .update(JSON.stringify([accountId, seed]))
    .digest();
  const letters = [...digest].map((byte) => alphabet[byte & 31]).join('');
  const id = `tk_${livemode ? 'live' : 'test'}_${letters.slice(0, 12)}`;
  return { id, key: `${id}_${letters.slice(12, 44)}` };
}
