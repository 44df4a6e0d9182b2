import type { VerifiedBundle } from '../../activities/tokens/verify-bundle.ts';
import type { Queryable } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { findLink } from '../../db/queries/links.ts';
import type { Membership } from '../../db/queries/memberships.ts';
import { assertRule } from '../../domain/tokens/bundle-refused.ts';
import { confinedIn } from './memberships-for.ts';

/** What a call says of where the session is to act. */
export interface Wanted {
  readonly account_id?: number | undefined;
  readonly app_id?: string | undefined;
  readonly link_uuid?: string | undefined;
  /** Where the caller acts already: taken where a membership is held there and nothing is named. */
  readonly current?: number | null;
  /** The only account the caller's session goes on in. */
  readonly confinedTo?: number | undefined;
}

/** An account that was named, and whether the session is nothing without it. */
interface Named {
  readonly accountId: number;
  readonly isDemanded: boolean;
  /** Whether the session stays there: what is shown to an app, or an account, is for it alone. */
  readonly isConfining: boolean;
}

/** Where a session acts, and all it can go on with. */
export interface Acting {
  readonly chosen: Membership | null;
  readonly memberships: readonly Membership[];
  readonly confinedTo?: number;
}

/**
 * The membership a session acts under. Whatever names an account (the bundle's audience, the call)
 * must name the same one. One asked for by its id needs a membership; one that follows from an app
 * or a link gives none to a stranger, and never another account in its place: the app that is shown
 * a bundle must not get at the person's other accounts, now or by a switch. So the session is
 * confined to what the bundle is for, or an app or link of the call is of. When nothing is named it
 * is the one the caller acts under already, else the one they joined first: what others do in other
 * accounts does not change it (docs/decisions/007-people-and-sign-in.md).
 * @throws BundleRefused `account`
 */
export async function chooseAccount(
  deps: { readonly db: Queryable },
  bundle: Pick<VerifiedBundle, 'audience' | 'appId'>,
  wanted: Wanted,
  memberships: readonly Membership[],
): Promise<Acting> {
  const named = await namedAccounts(deps, bundle, wanted);
  const [first] = named;
  const isConfined = named.some(({ isConfining }) => isConfining);
  const within = first && isConfined ? confinedIn(first.accountId, memberships) : memberships;
  const held = (id: number) => within.find(({ account_id }) => account_id === id) ?? null;
  if (!first) {
    const current = typeof wanted.current === 'number' ? held(wanted.current) : null;
    return { chosen: current ?? memberships[0] ?? null, memberships };
  }
  assertRule(
    'account',
    named.every(({ accountId }) => accountId === first.accountId),
  );
  const found = held(first.accountId);
  assertRule('account', found !== null || !named.some(({ isDemanded }) => isDemanded));
  const confinedTo = isConfined ? { confinedTo: first.accountId } : {};
  return { chosen: found, memberships: within, ...confinedTo };
}

async function namedAccounts(
  { db }: { readonly db: Queryable },
  { audience, appId: authorized }: Pick<VerifiedBundle, 'audience' | 'appId'>,
  { account_id: accountId, app_id: appId, link_uuid: linkUuid, confinedTo }: Wanted,
): Promise<Named[]> {
  const named: Named[] = [];
  if (confinedTo !== undefined) {
    named.push({ accountId: confinedTo, isDemanded: false, isConfining: true });
  }
  if (audience.kind === 'account') {
    named.push({ accountId: audience.accountId, isDemanded: true, isConfining: true });
  }
  if (accountId !== undefined) named.push({ accountId, isDemanded: true, isConfining: false });
  const apps = new Set([audience.kind === 'app' ? audience.appId : undefined, authorized, appId]);
  const link = linkUuid === undefined ? null : await findLink(db, linkUuid);
  assertRule('account', linkUuid === undefined || (link !== null && link.status !== 'deleted'));
  const names = [...apps, link?.app_id].filter((name) => name !== undefined && name !== null);
  const [name] = names;
  if (name === undefined) return named;
  assertRule(
    'account',
    names.every((other) => other === name),
  );
  const app = await findApp(db, name);
  assertRule('account', app !== null);
  return [...named, { accountId: app.account_id, isDemanded: false, isConfining: true }];
}
