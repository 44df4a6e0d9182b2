import { activityOf, findAnyApp } from '../../../db/queries/apps.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { appContracts } from '../contract.ts';

/** Returns the state and the activity of an app. */
export const status = handler(appContracts.status)(async (
  { path, call, authorize },
  { db }: Pick<Deps, 'db'>,
) => {
  const app = await findAnyApp(db, path.app_id);
  if (!app) throw new Failure('not_found');
  authorize(app);
  const { app_id, status: state, kind, livemode, redirect_url, tos_version, default_proofs } = app;
  const platforms = { ios: app.apple !== null, android: app.android !== null };
  const settings = {
    app_id,
    status: state,
    kind,
    livemode,
    redirect_url,
    tos_version,
    default_proofs,
  };
  return {
    status: 200,
    body: { ...settings, platforms, ...(await activityOf(db, app, call.now)) },
  };
});
