import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { invitedAddresses } from '../schema/accounts.ts';
import { getTableColumns } from '../schema/drizzle.ts';

const renew = statement<{ poly_user_id: string }>(
  'invited_addresses.renew',
  `UPDATE invited_addresses SET created_at = :now
   WHERE account_id = :accountId AND email_blind = :blind RETURNING poly_user_id`,
);
const add = prepare('invited_addresses.add', getTableColumns(invitedAddresses), ({ by }) =>
  build.insert(invitedAddresses).values(by),
);
const spelling = statement<{ address_sealed: Buffer }>(
  'invited_addresses.spelling',
  `SELECT address_sealed FROM invited_addresses
   WHERE email_blind = :blind AND created_at > :since
   ORDER BY created_at, account_id LIMIT 1`,
);
/** Active login emails of the identity group of `:polyUserId`. */
const proved = `SELECT e.email_blind FROM login_emails e JOIN poly_users u USING (poly_user_id)
     WHERE e.status = 'ACTIVE' AND u.identity_group_id =
       (SELECT identity_group_id FROM poly_users WHERE poly_user_id = :polyUserId)`;
const take = statement<{ poly_user_id: string }>(
  'invited_addresses.take',
  `DELETE FROM invited_addresses
   WHERE account_id = :accountId AND email_blind IN (${proved}) AND created_at > :since
   RETURNING poly_user_id`,
);

/** The digest of an address, and the address sealed like a login email. */
export interface InvitedAddress {
  readonly blind: Buffer;
  readonly sealed: Buffer;
}

/**
 * Renews the invitation of an address. Returns its placeholder person; null if it is not invited.
 */
export async function renewInvited(
  tx: Tx,
  accountId: number,
  { blind }: Pick<InvitedAddress, 'blind'>,
  now: Date,
): Promise<string | null> {
  return firstOf(await renew(tx, { accountId, blind, now }))?.poly_user_id ?? null;
}

/** The caller holds the lock of the account. */
export async function addInvited(
  tx: Tx,
  row: InvitedAddress & { accountId: number; polyUserId: string; createdAt: Date },
): Promise<void> {
  await add(tx, {
    account_id: row.accountId,
    email_blind: row.blind,
    address_sealed: row.sealed,
    poly_user_id: row.polyUserId,
    created_at: row.createdAt,
  });
}

/** Returns the sealed address as first invited since then; null if it was not invited. */
export async function findInvitedSpelling(
  on: Queryable,
  blind: Buffer,
  since: Date,
): Promise<Buffer | null> {
  return firstOf(await spelling(on, { blind, since }))?.address_sealed ?? null;
}

/**
 * Ends the invitations to an account, created since then, of the addresses that a person has
 * proved. Returns their placeholder people.
 */
export async function takeInvited(
  tx: Tx,
  accountId: number,
  polyUserId: string,
  since: Date,
): Promise<string[]> {
  const rows = await take(tx, { accountId, polyUserId, since });
  return rows.map(({ poly_user_id }) => poly_user_id);
}
