import { hold } from '../../activities/tokens/bundle-refused.ts';
import type { VerifiedBundle } from '../../activities/tokens/verify-bundle.ts';
import type { Queryable } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { findLink } from '../../db/queries/links.ts';
import type { Membership } from '../../db/queries/memberships.ts';

/** What a call says of where the session is to act. */
export interface Wanted {
  readonly account_id?: number | undefined;
  readonly app_id?: string | undefined;
  readonly link_uuid?: string | undefined;
  /** Where the caller acts already: taken where a membership is held there and nothing is named. */
  readonly current?: number | null;
}

/** An account that was named, and whether the session is nothing without it. */
interface Named {
  readonly accountId: number;
  readonly isDemanded: boolean;
}

/**
 * The membership a session acts under. Whatever names an account (the bundle's audience, the call)
 * must name the same one. One asked for by its id needs a membership; one that follows from an app
 * or a link gives none to a stranger, and never another account in its place: the app that is shown
 * a bundle must not get at the person's other accounts. When nothing is named it is the one the
 * caller acts under already, else the only membership there is, else none.
 * @throws BundleRefused `account`
 */
export async function chooseAccount(
  deps: { readonly db: Queryable },
  bundle: Pick<VerifiedBundle, 'audience' | 'appId'>,
  wanted: Wanted,
  memberships: readonly Membership[],
): Promise<Membership | null> {
  const named = await namedAccounts(deps, bundle, wanted);
  const [first] = named;
  const held = (id: number) => memberships.find(({ account_id }) => account_id === id) ?? null;
  if (!first) {
    const only = memberships.length === 1 ? (memberships[0] ?? null) : null;
    return (typeof wanted.current === 'number' ? held(wanted.current) : null) ?? only;
  }
  hold(
    'account',
    named.every(({ accountId }) => accountId === first.accountId),
  );
  const found = held(first.accountId);
  hold('account', found !== null || !named.some(({ isDemanded }) => isDemanded));
  return found;
}

async function namedAccounts(
  { db }: { readonly db: Queryable },
  { audience, appId: authorized }: Pick<VerifiedBundle, 'audience' | 'appId'>,
  { account_id: accountId, app_id: appId, link_uuid: linkUuid }: Wanted,
): Promise<Named[]> {
  const named: Named[] = [];
  if (audience.kind === 'account') {
    named.push({ accountId: audience.accountId, isDemanded: true });
  }
  if (accountId !== undefined) named.push({ accountId, isDemanded: true });
  const apps = new Set([audience.kind === 'app' ? audience.appId : undefined, authorized, appId]);
  const link = linkUuid === undefined ? null : await findLink(db, linkUuid);
  hold('account', linkUuid === undefined || (link !== null && link.status !== 'deleted'));
  const names = [...apps, link?.app_id].filter((name) => name !== undefined && name !== null);
  const [name] = names;
  if (name === undefined) return named;
  hold(
    'account',
    names.every((other) => other === name),
  );
  const app = await findApp(db, name);
  hold('account', app !== null);
  return [...named, { accountId: app.account_id, isDemanded: false }];
}
