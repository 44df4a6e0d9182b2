import { newSession } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addMembership, addUser } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import { platformKeys } from '../keys/bundles.ts';
import { provedAt } from '../platform/fresh-proof.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/**
 * Creates a person with a device, and a session in an account with a device proof given just now.
 */
export async function newCertUser(
  db: Db,
  accountId: number,
  roles: readonly Role[],
): Promise<{ readonly polyUserId: string; readonly token: string }> {
  const { baseUrl } = ownPlatform();
  const polyUserId = randomIds.make('pu');
  const now = new Date();
  await addUser(db, [polyUserId, 'cert', now]);
  await addMembership(db, [polyUserId, accountId, roles, now]);
  const deps = { db, keys: platformKeys(), ids: randomIds, baseUrl };
  return { polyUserId, token: await newSession(deps, polyUserId, accountId, roles, now) };
}

/** The same session with its proof older by this many seconds. */
export const agedBy = (token: string, seconds: number): string =>
  provedAt(ownPlatform().dataDir, token, Date.now() - seconds * 1000);
