import { findAnyApp } from '../../../db/queries/apps.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { appContracts } from '../contract.ts';
import { presentApp } from '../present.ts';

/** Returns an app of the account with all its settings. */
export const get = handler(appContracts.get)(async (
  { path, authorizeIn, reaches },
  { db }: Pick<Deps, 'db'>,
) => {
  authorizeIn(path.account_id);
  const app = await findAnyApp(db, path.app_id);
  if (app?.account_id !== path.account_id || !reaches(app)) throw new Failure('not_found');
  return { status: 200, body: presentApp(app) };
});
