import { areOnePerson } from '../../db/queries/identities.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { bindPerson } from '../../db/queries/waiting-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { AttestedDevice, Caller } from '../http/auth/caller.ts';
import { onlyAccountOf } from '../http/auth/session-scope.ts';

type PersonDeps = Pick<Deps, 'db'>;

/**
 * Who begins a check, as far as they have shown it: by their session, else by their phone; null for
 * anybody else. Throws `own_sign_in_required` for a session that counts in one account alone on a
 * link of another, and `invalid_state` for a session and a phone of two people.
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

/** Whether a check is this person's, by whichever id of theirs. */
export async function isOf(
  deps: PersonDeps,
  { poly_user_id: known }: TrustCheckRow,
  person: string | null,
): Promise<boolean> {
  return known !== null && person !== null && areOnePerson(deps.db, known, person);
}

/** The same, or nobody's yet. */
export async function mayBeOf(
  deps: PersonDeps,
  check: TrustCheckRow,
  person: string | null,
): Promise<boolean> {
  return check.poly_user_id === null || isOf(deps, check, person);
}

/** Throws `invalid_state` for a check that somebody else has begun. */
export async function assertPersonOfCheck(
  deps: PersonDeps,
  check: TrustCheckRow,
  person: string | null,
): Promise<void> {
  if (!(await mayBeOf(deps, check, person))) throw anothers();
}

/** Says whose a check is that a page waits with. Throws `invalid_state` where it is another's. */
export async function bindTo(
  deps: PersonDeps,
  check: TrustCheckRow,
  person: string,
): Promise<TrustCheckRow> {
  if (check.poly_user_id !== null) return check;
  const { link_session_id: id } = check;
  const bound = await bindPerson(deps.db, id, person);
  // Somebody has come between: the person themselves, or another.
  const known = bound ?? (await findTrustCheck(deps.db, id)) ?? check;
  await assertPersonOfCheck(deps, known, person);
  return known;
}

const anothers = (): Failure =>
  new Failure('invalid_state', { detail: 'The check is of another person' });
