import { isSeedKnown } from '../../db/queries/seeding.ts';
import { newSession, seed, type Person, type Seed, type SeedDeps } from './seed.ts';

/**
 * Returns the seed of an earlier start with new sessions. Returns a new seed if there is none, or
 * if it was made in another database.
 */
export async function renewSeed(deps: SeedDeps, known: Seed | null, now: Date): Promise<Seed> {
  if (known === null || !(await isSeedCurrent(deps, known))) {
    return seed(deps, `example-${deps.ids.bytes(3).toString('hex')}`, now);
  }
  const { account_id } = known;
  const again = async (person: Person, role: 'ADMIN' | 'MEMBER' | null): Promise<Person> => {
    const [account, roles] = role ? [account_id, [role]] : [null, []];
    const token = await newSession(deps, person.poly_user_id, account, roles, now);
    return { ...person, session_token: token };
  };
  return {
    ...known,
    admin: await again(known.admin, 'ADMIN'),
    member: await again(known.member, 'MEMBER'),
    subject: await again(known.subject, null),
  };
}

async function isSeedCurrent(
  { db }: SeedDeps,
  { app_id, account_id, admin }: Seed,
): Promise<boolean> {
  const found = await isSeedKnown(db, [app_id, account_id, admin.poly_user_id]);
  return found.length === 1;
}
