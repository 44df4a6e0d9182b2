import { removeLogo } from '../../db/queries/app-logos.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { changeApp, findAppOrThrow } from './change.ts';
import { appContracts } from './contract.ts';
import { presentApp } from './present.ts';

/** Archives an app permanently. Its past checks stay readable. */
export const archive = handler(appContracts.archive)(async (input, deps: Pick<Deps, 'db'>) => {
  const { account_id, app_id } = input.path;
  const app = await withAccountTransaction(deps, input, account_id, async (administered) => {
    const before = await findAppOrThrow(administered, app_id);
    await removeLogo(administered.tx, app_id);
    return changeApp(administered, before, { ...before, status: 'archived' }, 'app.archived');
  });
  return { status: 200, body: presentApp(app) };
});
