import type { AppRow } from '../../db/queries/credentials.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  withAccountTransaction,
  type AccountTransaction,
} from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { omitUndefined } from '../http/fields/omit-undefined.ts';
import { changeApp, defaultRedirectUrl, findAppOrThrow } from './change.ts';
import { appContracts } from './contract.ts';
import { fetchLogo, saveLogo, type LogoDeps } from './logo.ts';
import { presentApp } from './present.ts';

/** Changes the given settings of an app. Running checks keep their settings. */
export const update = handler(appContracts.update)(async (
  input,
  deps: Pick<Deps, 'db'> & LogoDeps,
) => {
  const { account_id, app_id } = input.path;
  const { logo_url: url } = input.body;
  // Fetches only for a caller who may change the app, and holds no lock during the fetch.
  const needsFetch =
    typeof url === 'string' &&
    (await withAccountTransaction(deps, input, account_id, async (administered) => {
      const { logo_url: before } = await findActiveAppOrThrow(administered, app_id);
      return before !== url;
    }));
  const logo = needsFetch ? await fetchLogo(deps, account_id, url) : null;
  const app = await withAccountTransaction(deps, input, account_id, async (administered) => {
    const before = await findActiveAppOrThrow(administered, app_id);
    const after = { ...before, ...omitUndefined(input.body) };
    after.redirect_url ??= defaultRedirectUrl(before, deps.settings.baseUrl);
    const changed = await changeApp(administered, before, after, 'app.updated');
    await saveLogo(administered, before, after, logo, input.call.now);
    return changed;
  });
  return { status: 200, body: presentApp(app) };
});

async function findActiveAppOrThrow(
  administered: AccountTransaction,
  appId: string,
): Promise<AppRow> {
  const app = await findAppOrThrow(administered, appId);
  if (app.status !== 'archived') return app;
  throw new Failure('invalid_state', { detail: 'The app is archived' });
}
