import { administer } from '../accounts/administer.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { apiKeyContracts } from './contract.ts';
import { deriveKey, mustBeWithin, refused, storeKey } from './make.ts';
import { presentApiKey } from './present.ts';

const expiry = ['body', 'expires_at'] as const;

/** Makes a key. Run again under the same seed it shows the key that was made, not another. */
export const create = handler(apiKeyContracts.create)(async (
  input,
  deps: Pick<Deps, 'db' | 'keys'>,
) => {
  const { account_id } = input.path;
  const { name, roles, livemode, expires_at = null } = input.body;
  const { now } = input.call;
  const given = { name, roles, livemode, expires_at };
  const derived = deriveKey(deps, account_id, livemode, input.seed);
  const row = await administer(deps, input, account_id, async (administered) => {
    if (expires_at && expires_at <= now) throw refused(expiry, 'lies in the past');
    mustBeWithin(administered.caller, given, expiry);
    return storeKey(administered, derived, given, now);
  });
  return { status: 201, body: { ...presentApiKey(row), api_key: derived.key } };
});
