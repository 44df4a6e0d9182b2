import type { Tx } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import type { AccountRow } from '../../../db/queries/accounts.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import { findStanding } from '../../../db/queries/identities.ts';
import { lockSsoProvider, type SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import { findSubject, type BoundSubject } from '../../../db/queries/sso-subjects.ts';
import type { Role } from '../../../domain/names.ts';
import { Failure } from '../../../workflows/failures.ts';
import { tellAccounts } from '../adopt.ts';
import { assertRule } from './access-token-refused.ts';
import { findBound, findPerson, type Person, type Subject } from './find-person.ts';
import { followRoles } from './follow-roles.ts';

/** Subject of an accepted token, with the roles of its groups. */
export interface Entering extends Subject {
  readonly roles: readonly Role[];
}

/** The person who enters the account, with their roles. */
export interface Entered extends Person {
  readonly roles: readonly Role[];
}

/**
 * Returns the person whose membership ends with their groups. A person who was adopted or has a
 * device can no longer sign in by this provider, but the membership that it gave still ends.
 */
async function findLeaving(tx: Tx, row: SsoProviderRow, bound: BoundSubject): Promise<string> {
  const known = await findBound(tx, row, bound);
  return known?.polyUserId ?? findStanding(tx, bound.poly_user_id);
}

/**
 * Enters a subject into the account of its provider: finds the person, and updates the membership
 * by their groups. Call it under the account's lock; the provider is read again. Returns null if no
 * group has a role; commit then, too, since that ends the membership. Any other refusal is thrown
 * and changes nothing.
 * @throws AccessTokenRefused `provider`, `role`, `email`
 * @throws Failure `dependency_unavailable` if the provider was changed while its issuer was asked:
 *   the token was checked by other rules
 */
export async function enterAccount(
  tx: Tx,
  deps: { readonly ids: Ids; readonly now: Date },
  account: AccountRow | null,
  judgedBy: SsoProviderRow,
  entering: Entering,
): Promise<Entered | null> {
  const { account_id: accountId, provider } = judgedBy;
  const row = await lockSsoProvider(tx, accountId, provider);
  assertRule('provider', account !== null && account.disabled_at === null);
  assertRule('provider', row?.enabled === true);
  if (+row.updated_at !== +judgedBy.updated_at) {
    throw new Failure('dependency_unavailable', { retryAfterSeconds: 1 });
  }
  const { roles, digest } = entering;
  const follow = (polyUserId: string): Promise<readonly Role[]> => {
    const entry = { accountId, actor: `sso:${provider}`, objectId: polyUserId };
    const followed = { accountId, provider, polyUserId, roles };
    return followRoles(tx, followed, deps.now, (action, details) =>
      appendAudit(tx, { ...entry, action, details }, deps.now),
    );
  };
  if (roles.length === 0) {
    const bound = await findSubject(tx, digest);
    if (bound) await follow(await findLeaving(tx, row, bound));
    return null;
  }
  const person = await findPerson(tx, deps, row, entering);
  const { polyUserId, identityId, made } = person;
  const held = await follow(polyUserId);
  assertRule('role', held.length > 0);
  if (made !== 'nothing') {
    const details = { provider, identity_id: identityId };
    const entry = { accountId, actor: `sso:${provider}`, objectId: polyUserId, details };
    await appendAudit(tx, { ...entry, action: 'sso_subject.bound' }, deps.now);
  }
  if (made === 'login_email') {
    const object = { identity_id: identityId, poly_user_id: polyUserId };
    await tellAccounts(tx, deps, polyUserId, 'identity.email_linked', object);
  }
  return { ...person, roles: held };
}
