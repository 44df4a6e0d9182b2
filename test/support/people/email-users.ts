import { join } from 'node:path';
import { sealLoginEmail } from '../../../activities/identity/email/answer.ts';
import { logInByAddress } from '../../../activities/identity/log-in.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { openSession, type SessionRequest } from '../../../activities/tokens/open-session.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import type { Role } from '../../../domain/names.ts';
import { ownSealer } from '../keys/own-sealer.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/** A person with login emails only, and a session that one of them opened. */
export interface EmailUser {
  readonly polyUserId: string;
  readonly token: string;
}

/** Creates such a person with these memberships, used by no other test. */
export async function newEmailUser(
  db: Db,
  memberships: Readonly<Record<number, readonly Role[]>> = {},
): Promise<EmailUser> {
  const polyUserId = randomIds.make('pu');
  const now = new Date();
  await db.query(
    `INSERT INTO poly_users (poly_user_id, identity_group_id, kind, created_at)
     VALUES ($1, $2, 'email', $3)`,
    [polyUserId, randomIds.make('ig'), now],
  );
  for (const [account, roles] of Object.entries(memberships)) {
    await addMembership(db, [polyUserId, Number(account), roles, now]);
  }
  return { polyUserId, token: await emailSession(db, polyUserId, memberships) };
}

/** Opens an email session of any PolyUser, in the first of the accounts. */
export async function emailSession(
  db: Db,
  polyUserId: string,
  memberships: Readonly<Record<number, readonly Role[]>> = {},
  more: Pick<SessionRequest, 'confinedTo' | 'deviceId' | 'notAfter'> = {},
): Promise<string> {
  const { baseUrl, dataDir } = ownPlatform();
  const { tokens } = loadKeys(join(dataDir, 'keys'));
  const now = new Date();
  const [first] = Object.entries(memberships);
  const { token } = await openSession(
    { on: db, tokens, issuer: baseUrl, ids: randomIds },
    {
      polyUserId,
      authMethod: 'email',
      accountId: first ? Number(first[0]) : null,
      roles: first?.[1] ?? [],
      authTime: now,
      ...more,
    },
    now,
  );
  return token;
}

/** Signs a person in with an address, as if they had answered its mail. */
export async function signInBy(
  db: Db,
  address: string,
): Promise<{ readonly polyUserId: string; readonly identityId: number }> {
  const read = readAddress(address);
  if (!read) throw new Error(`${address} is no address`);
  const sealed = await sealLoginEmail(ownSealer(db), read);
  const email = await transaction(db, (tx) =>
    logInByAddress(tx, { ids: randomIds }, sealed, new Date()),
  );
  if (!email) throw new Error(`${address} signs nobody in`);
  return { polyUserId: email.poly_user_id, identityId: email.identity_id };
}
