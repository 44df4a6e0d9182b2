import type { Tx } from '../../db/client.ts';
import { lockPolyUsers, type PolyUserRow } from '../../db/queries/identities.ts';
import {
  findLoginEmail,
  holdNewLoginEmail,
  lockLoginEmail,
  type LoginEmailRow,
} from '../../db/queries/login-emails.ts';
import { Failure } from '../../workflows/failures.ts';

/** Another transaction moved the address to another person after this one had read its owner. */
class AddressMoved extends Failure {
  constructor() {
    super('dependency_unavailable', { retryAfterSeconds: 1 });
  }
}

const attemptsMax = 5;

/**
 * Runs a transaction that locks an address, and runs it again if the address moved meanwhile. Then
 * it finds the new owner and applies the state table to it.
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

/** A locked address, with its owner and the caller, locked too. */
export interface LockedAddress {
  readonly email: LoginEmailRow | null;
  readonly owner: PolyUserRow | null;
  readonly caller: PolyUserRow | null;
}

/**
 * Locks an address. All code locks people first and the address second, so that two transactions
 * cannot deadlock.
 * @throws AddressMoved if the address has just moved; see `unlessMoved`
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

/** Serializes transactions that add the same new address: the second finds the first's row. */
async function findNew(tx: Tx, blind: Buffer): Promise<LoginEmailRow | null> {
  await holdNewLoginEmail(tx, blind);
  return findLoginEmail(tx, blind);
}
