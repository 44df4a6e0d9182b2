import type { VerifiedBundle } from '../../activities/tokens/verify-bundle.ts';
import type { Queryable } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { findLink } from '../../db/queries/links.ts';
import type { Membership } from '../../db/queries/memberships.ts';
import { assertRule } from '../../domain/tokens/bundle-refused.ts';
import { confinedIn } from './memberships-for.ts';

/** What a request says about the account that the session is to act in. */
export interface Wanted {
  readonly account_id?: number | undefined;
  readonly app_id?: string | undefined;
  readonly link_uuid?: string | undefined;
  /** The caller's current account. Used if they are a member there and the request names none. */
  readonly current?: number | null;
  /** The only account that the caller's session may act in. */
  readonly confinedTo?: number | undefined;
}

/** An account that was named, and whether the session needs a membership in it. */
interface Named {
  readonly accountId: number;
  readonly isDemanded: boolean;
  /**
   * Whether the session is limited to it, because the bundle or request is for one app or account.
   */
  readonly isConfining: boolean;
}

/** The account a session acts in, and all memberships it may switch to. */
export interface Acting {
  readonly chosen: Membership | null;
  readonly memberships: readonly Membership[];
  readonly confinedTo?: number;
}

/**
 * Chooses the membership a session acts under. The bundle's audience and the request must name the
 * same account. An account named by its id needs a membership.
 *
 * An account that follows from an app or a link needs none, and a person without one gets no other
 * account instead. An app that receives a bundle must not reach the person's other accounts, now or
 * by a switch. So the session is limited to the account of the bundle, or of the request's app or
 * link.
 *
 * If none is named, the session stays in the caller's current account, else it uses the one joined
 * first. So changes by other people in other accounts have no effect
 * (docs/decisions/007-people-and-sign-in.md).
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
  const membershipIn = (id: number) => within.find(({ account_id }) => account_id === id) ?? null;
  if (!first) {
    const current = typeof wanted.current === 'number' ? membershipIn(wanted.current) : null;
    return { chosen: current ?? memberships[0] ?? null, memberships };
  }
  assertRule(
    'account',
    named.every(({ accountId }) => accountId === first.accountId),
  );
  const found = membershipIn(first.accountId);
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
