import { firstOf, statement, type Tx } from '../client.ts';

const renew = statement<{ poly_user_id: string }>(
  'invited_addresses.renew',
  `UPDATE invited_addresses SET created_at = $3
   WHERE account_id = $1 AND email_blind = $2 RETURNING poly_user_id`,
);
const add = statement(
  'invited_addresses.add',
  `INSERT INTO invited_addresses (account_id, email_blind, poly_user_id, created_at)
   VALUES ($1, $2, $3, $4)`,
);
const take = statement<{ poly_user_id: string }>(
  'invited_addresses.take',
  `DELETE FROM invited_addresses
   WHERE email_blind = $1 AND created_at > $2 RETURNING poly_user_id`,
);

/** Who holds the place of an address in an account, invited anew; null where it is not invited. */
export async function renewInvited(
  tx: Tx,
  accountId: number,
  blind: Buffer,
  now: Date,
): Promise<string | null> {
  return firstOf(await renew(tx, [accountId, blind, now]))?.poly_user_id ?? null;
}

/** Under the lock of the account. */
export async function addInvited(
  tx: Tx,
  row: { accountId: number; blind: Buffer; polyUserId: string; createdAt: Date },
): Promise<void> {
  await add(tx, [row.accountId, row.blind, row.polyUserId, row.createdAt]);
}

/** Ends all invitations of an address that were made since; gives who held its places. */
export async function takeInvited(tx: Tx, blind: Buffer, since: Date): Promise<string[]> {
  return (await take(tx, [blind, since])).map(({ poly_user_id }) => poly_user_id);
}
