import type { Tx } from '../../db/client.ts';
import { lockPolyUsers, type PolyUserRow } from '../../db/queries/identities.ts';
import {
  findLoginEmail,
  holdNewLoginEmail,
  lockLoginEmail,
  type LoginEmailRow,
} from '../../db/queries/login-emails.ts';
import { Failure } from '../../workflows/failures.ts';

/** Another transaction has given an address to another person since this one found its owner. */
class AddressMoved extends Failure {
  constructor() {
    super('dependency_unavailable', { retryAfterSeconds: 1 });
  }
}

const attemptsMax = 5;

/**
 * Runs a transaction that locks an address, again from its start where the address has changed
 * hands meanwhile: it then finds the new owner, and is decided by the table of states.
 */
export async function unlessMoved<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof AddressMoved) || attempt === attemptsMax) throw error;
    }
  }
}

/** An address with whom it belongs to, and whoever asks, all locked. */
export interface LockedAddress {
  readonly email: LoginEmailRow | null;
  readonly owner: PolyUserRow | null;
  readonly caller: PolyUserRow | null;
}

/**
 * Locks people first and the address second, as everything does that touches both, so that no two
 * wait for each other.
 * @throws AddressMoved where the address has just changed hands; see `unlessMoved`
 */
export async function lockAddress(
  tx: Tx,
  blind: Buffer,
  callerId: string | null,
): Promise<LockedAddress> {
  const seen = (await findLoginEmail(tx, blind)) ?? (await findNew(tx, blind));
  const ids = [seen?.poly_user_id, callerId].filter((id) => id !== undefined && id !== null);
  const people = await lockPolyUsers(tx, ids);
  const email = await lockLoginEmail(tx, blind);
  if (email?.poly_user_id !== seen?.poly_user_id) {
    throw new AddressMoved();
  }
  const person = (id: string | null | undefined): PolyUserRow | null =>
    people.find(({ poly_user_id }) => poly_user_id === id) ?? null;
  return { email, owner: person(email?.poly_user_id), caller: person(callerId) };
}

/** An address that is new to all is made by one at a time: who comes second finds the first's. */
async function findNew(tx: Tx, blind: Buffer): Promise<LoginEmailRow | null> {
  await holdNewLoginEmail(tx, blind);
  return findLoginEmail(tx, blind);
}
