import { Failure } from '../../workflows/failures.ts';
import { administer } from '../accounts/access/administer.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { givenOf } from '../http/fields/given.ts';
import { changeApp, defaultRedirectUrl, mustFindApp } from './change.ts';
import { appContracts } from './contract.ts';
import { presentApp } from './present.ts';

/** Changes what is given of an app; checks that run go on as they were begun. */
export const update = handler(appContracts.update)(async (
  input,
  deps: Pick<Deps, 'db' | 'settings'>,
) => {
  const { account_id, app_id } = input.path;
  const app = await administer(deps, input, account_id, async (administered) => {
    const before = await mustFindApp(administered, app_id);
    if (before.status === 'archived') {
      throw new Failure('invalid_state', { detail: 'The app is archived' });
    }
    const after = { ...before, ...givenOf(input.body) };
    after.redirect_url ??= defaultRedirectUrl(before, deps.settings.baseUrl);
    return changeApp(administered, before, after, 'app.updated');
  });
  return { status: 200, body: presentApp(app) };
});
