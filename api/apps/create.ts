import type { z } from 'zod';
import type { Tx } from '../../db/client.ts';
import { keepLogo } from '../../db/queries/app-logos.ts';
import { addApp, countApps, findAnyApp } from '../../db/queries/apps.ts';
import type { AppRow } from '../../db/queries/credentials.ts';
import { simulatedApp } from '../../domain/proofs/device/simulated-app.ts';
import { Failure } from '../../workflows/failures.ts';
import { withAccountTransaction } from '../accounts/access/account-transaction.ts';
import { changesOf } from '../accounts/access/changes.ts';
import type { Deps } from '../deps.ts';
import { livemodeOfNew } from '../http/auth/livemode-of-new.ts';
import { handler } from '../http/contract.ts';
import { appFields, defaultRedirectUrl } from './change.ts';
import { appContracts } from './contract.ts';
import { fetchLogo, type LogoDeps } from './logo.ts';
import { presentApp } from './present.ts';
import { reservedWords } from './reserved-words.ts';
import type { createAppRequest } from './schemas/schemas.ts';

/** The vendors' association documents have at most a thousand apps, of all accounts together. */
const appsMax = 100;

/** Creates an app. Returns an existing app that is equal. */
export const create = handler(appContracts.create)(async (
  input,
  deps: Pick<Deps, 'db'> & LogoDeps,
) => {
  const { account_id, app_id } = input.path;
  const { redirect_url, ...asked } = input.body;
  const given = {
    ...asked,
    ...identitiesOf(asked, deps.settings),
    livemode: livemodeOfNew(input.caller, asked.livemode),
  };
  const app: AppRow = {
    ...given,
    account_id,
    app_id,
    status: 'active',
    redirect_url:
      redirect_url ?? defaultRedirectUrl({ kind: given.kind, app_id }, deps.settings.baseUrl),
    created_at: input.call.now,
  };
  // Fetches only for a caller who may create the app, and holds no lock during the fetch.
  const { logo_url: url } = app;
  const needsFetch =
    url !== null &&
    !(await withAccountTransaction(deps, input, account_id, ({ tx }) => findSameApp(tx, app)));
  const logo = needsFetch ? await fetchLogo(deps, account_id, url) : null;
  const made = await withAccountTransaction(deps, input, account_id, async ({ tx, note }) => {
    const known = await findSameApp(tx, app);
    if (known) return known;
    const added = await addApp(tx, app);
    // A concurrent request of another account has taken the id.
    if (!added) throw new Failure('app_id_taken');
    if (logo) await keepLogo(tx, added, logo, input.call.now);
    await note('app.created', app_id, { to: given });
    return added;
  });
  return { status: 201, body: presentApp(made) };
});

/** In development the default identity is that of the simulated phone. */
function identitiesOf(
  { apple, android }: Pick<z.output<typeof createAppRequest>, 'apple' | 'android'>,
  { hasDevelopmentRoots }: Deps['settings'],
): Pick<AppRow, 'apple' | 'android'> {
  const usual = hasDevelopmentRoots ? simulatedApp : { apple: null, android: null };
  return {
    apple: apple === undefined ? usual.apple : apple,
    android: android === undefined ? usual.android : android,
  };
}

/**
 * Returns the existing app if it equals this one; null if it can be created.
 * @throws Failure `app_id_reserved`, `app_id_taken`, `app_limit`
 */
async function findSameApp(tx: Tx, app: AppRow): Promise<AppRow | null> {
  if (reservedWords.has(app.app_id)) {
    throw new Failure('app_id_reserved', { extra: { loc: ['path', 'app_id'] } });
  }
  const known = await findAnyApp(tx, app.app_id);
  if (known) return sameAppOrThrow(known, app);
  if ((await countApps(tx, app.account_id)) >= appsMax) throw new Failure('app_limit');
  return null;
}

function sameAppOrThrow(known: AppRow, app: AppRow): AppRow {
  const names = ['account_id', 'kind', 'livemode', ...appFields] as const;
  if (!changesOf(known, app, names)) return known;
  const isOwn = known.account_id === app.account_id;
  throw new Failure('app_id_taken', isOwn ? { detail: 'Change your app with PATCH' } : {});
}
