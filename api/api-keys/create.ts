import { findAnyApp } from '../../db/queries/apps.ts';
import {
  withAccountTransaction,
  type AccountTransaction,
} from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { apiKeyContracts } from './contract.ts';
import {
  deriveKeys,
  assertWithinRights,
  refused,
  storedOrNew,
  storeKey,
  type KeyRights,
} from './make.ts';
import { presentApiKey } from './present.ts';

const expiry = ['body', 'expires_at'] as const;

/** Creates a key. The same seed returns the same key. */
export const create = handler(apiKeyContracts.create)(async (
  input,
  deps: Pick<Deps, 'db' | 'keys'>,
) => {
  const { account_id } = input.path;
  const { name, roles, livemode, scopes = null, app_ids = null, expires_at = null } = input.body;
  const { now } = input.call;
  const given = { name, roles, livemode, scopes, app_ids, expires_at };
  const from = { accountId: account_id, livemode, seed: input.seed };
  const all = deriveKeys(deps.keys, from, now);
  const { row, key } = await withAccountTransaction(
    deps,
    input,
    account_id,
    async (administered) => {
      if (expires_at && expires_at <= now) throw refused(expiry, 'lies in the past');
      assertWithinRights(administered.caller, given, expiry);
      await assertKnownApps(administered, given);
      const derived = await storedOrNew(administered.tx, account_id, all);
      return { row: await storeKey(administered, derived, given, now), key: derived.key };
    },
  );
  return { status: 201, body: { ...presentApiKey(row), api_key: key } };
});

/** @throws InvalidRequest for an app of another account, or a live app of a test key */
async function assertKnownApps(
  { tx, account }: Pick<AccountTransaction, 'tx' | 'account'>,
  { app_ids, livemode }: KeyRights,
): Promise<void> {
  for (const [place, appId] of (app_ids ?? []).entries()) {
    const app = await findAnyApp(tx, appId);
    const loc = ['body', 'app_ids', place] as const;
    if (app?.account_id !== account.account_id) throw refused(loc, 'is no app of this account');
    if (app.livemode && !livemode) throw refused(loc, 'is a live app: a test key has test apps');
  }
}
