import { areOnePerson } from '../../db/queries/identities.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { bindPerson } from '../../db/queries/waiting-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { AttestedDevice, Caller } from '../http/auth/caller.ts';
import { onlyAccountOf } from '../http/auth/session-scope.ts';

type PersonDeps = Pick<Deps, 'db'>;

/**
 * Returns the person who begins a check, from their session, else from their phone; null without
 * both.
 * @throws Failure `own_sign_in_required` for a session limited to another account than the link's,
 *   `invalid_state` if session and phone belong to two people
 */
export async function personOf(
  deps: PersonDeps,
  caller: Caller,
  phone: AttestedDevice | null,
  accountId: number,
): Promise<string | null> {
  if (caller.kind !== 'session') return phone?.polyUserId ?? null;
  const only = onlyAccountOf(caller);
  if (only !== undefined && only !== accountId) throw new Failure('own_sign_in_required');
  const { polyUserId } = caller;
  if (phone && !(await areOnePerson(deps.db, polyUserId, phone.polyUserId))) throw anothers();
  return polyUserId;
}

/** Whether a check belongs to this person, under any of their ids. */
export async function isOf(
  deps: PersonDeps,
  { poly_user_id: known }: TrustCheckRow,
  person: string | null,
): Promise<boolean> {
  return known !== null && person !== null && areOnePerson(deps.db, known, person);
}

/** Whether a check belongs to this person, or to no person yet. */
export async function mayBeOf(
  deps: PersonDeps,
  check: TrustCheckRow,
  person: string | null,
): Promise<boolean> {
  return check.poly_user_id === null || isOf(deps, check, person);
}

/** @throws Failure `invalid_state` for a check that belongs to another person */
export async function assertPersonOfCheck(
  deps: PersonDeps,
  check: TrustCheckRow,
  person: string | null,
): Promise<void> {
  if (!(await mayBeOf(deps, check, person))) throw anothers();
}

/**
 * Binds a check without a person to this person.
 * @throws Failure `invalid_state` if it belongs to another person
 */
export async function bindTo(
  deps: PersonDeps,
  check: TrustCheckRow,
  person: string,
): Promise<TrustCheckRow> {
  if (check.poly_user_id !== null) return check;
  const { link_session_id: id } = check;
  const bound = await bindPerson(deps.db, id, person);
  // A concurrent request has bound the check, to this person or to another one.
  const known = bound ?? (await findTrustCheck(deps.db, id)) ?? check;
  await assertPersonOfCheck(deps, known, person);
  return known;
}

const anothers = (): Failure =>
  new Failure('invalid_state', { detail: 'The check is of another person' });
