import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import type { accounts } from '../schema/accounts.ts';

export type AccountRow = typeof accounts.$inferSelect;

const find = statement<AccountRow>('accounts.find', 'SELECT * FROM accounts WHERE account_id = $1');
/** Not the key: rows that name the account are added meanwhile. */
const lock = statement<AccountRow>(
  'accounts.lock',
  'SELECT * FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE',
);
const update = statement<AccountRow>(
  'accounts.update',
  `UPDATE accounts SET name = $2, logo_url = $3, verified = $4, image_retention_days = $5,
     face_provider = $6
   WHERE account_id = $1 RETURNING *`,
);
/** A POLYADMIN sees all of them, anybody else those they belong to. */
const seen = `FROM accounts a
  LEFT JOIN memberships m ON m.account_id = a.account_id AND m.poly_user_id = $1
    AND (m.managed_by IS NULL OR m.managed_by = $4)
  WHERE a.disabled_at IS NULL AND ($2::bool OR m.poly_user_id IS NOT NULL)
    AND ($3::int IS NULL OR a.account_id = $3)`;
const seenPage = statement<AccountRow & { roles: string[] | null }>(
  'accounts.page',
  `SELECT a.*, m.roles ${seen} ORDER BY a.account_id LIMIT $5 OFFSET $6`,
);
const count = statement<{ total: number }>(
  'accounts.count',
  `SELECT count(*)::int AS total ${seen}`,
);

export async function findAccount(on: Queryable, accountId: number): Promise<AccountRow | null> {
  return firstOf(await find(on, [accountId]));
}

/** Locked until the transaction ends: what is administered in an account is done one at a time. */
export async function lockAccount(tx: Tx, accountId: number): Promise<AccountRow | null> {
  return firstOf(await lock(tx, [accountId]));
}

export async function updateAccount(
  tx: Tx,
  row: Omit<AccountRow, 'disabled_at' | 'created_at'>,
): Promise<AccountRow> {
  const { account_id, name, logo_url, verified, image_retention_days, face_provider } = row;
  const values = [account_id, name, logo_url, verified, image_retention_days, face_provider];
  const updated = firstOf(await update(tx, values));
  if (!updated) throw new Error('an account was not changed');
  return updated;
}

interface SeenBy {
  readonly polyUserId: string;
  /** Whether they see all. */
  readonly isEverywhere: boolean;
  /** The one account that is looked for; null for all of them. */
  readonly only: number | null;
  /** The sign-in provider they came by. */
  readonly provider: string | null;
}

/** A page of the accounts a person sees, with the roles they hold there, and how many there are. */
export async function listAccounts(
  on: Queryable,
  { polyUserId, isEverywhere, only, provider }: SeenBy,
  page: readonly [number, number],
) {
  const asked = [polyUserId, isEverywhere, only, provider];
  return withTotal(seenPage(on, [...asked, ...page]), count(on, asked));
}
