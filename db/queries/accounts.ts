import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { accounts } from '../schema/accounts.ts';

export type AccountRow = typeof accounts.$inferSelect;

const { account_id, name, logo_url, verified } = accounts;
const { image_retention_days, face_provider, subject_reasons } = accounts;

const find = prepare('accounts.find', { account_id }, ({ equals }) =>
  build.select().from(accounts).where(equals.account_id),
);
/** `no key update`: other transactions can still insert rows that reference the account. */
const lock = prepare('accounts.lock', { account_id }, ({ equals }) =>
  build.select().from(accounts).where(equals.account_id).for('no key update'),
);
const settings = { image_retention_days, face_provider, subject_reasons };
const changed = { name, logo_url, verified, ...settings };
const update = prepare(
  'accounts.update',
  { account_id, ...changed },
  ({ by: { account_id: _id, ...row }, equals }) =>
    build.update(accounts).set(row).where(equals.account_id).returning(),
);
/** A POLYADMIN sees all accounts. Anybody else sees the accounts of which they are a member. */
const seen = `FROM accounts a
  LEFT JOIN memberships m ON m.account_id = a.account_id AND m.poly_user_id = :poly_user_id
    AND (m.managed_by IS NULL OR m.managed_by = :provider)
  WHERE a.disabled_at IS NULL AND (:is_everywhere::bool OR m.poly_user_id IS NOT NULL)
    AND (:only::int IS NULL OR a.account_id = :only)`;
const seenPage = statement<AccountRow & { roles: string[] | null }>(
  'accounts.page',
  `SELECT a.*, m.roles ${seen} ORDER BY a.account_id LIMIT :limit OFFSET :offset`,
);
const count = statement<{ total: number }>(
  'accounts.count',
  `SELECT count(*)::int AS total ${seen}`,
);

export async function findAccount(on: Queryable, accountId: number): Promise<AccountRow | null> {
  return firstOf(await find(on, { account_id: accountId }));
}

/**
 * Returns an account, locked until the transaction ends, or null. The lock serializes
 * administration in one account.
 */
export async function lockAccount(tx: Tx, accountId: number): Promise<AccountRow | null> {
  return firstOf(await lock(tx, { account_id: accountId }));
}

export async function updateAccount(
  tx: Tx,
  row: Omit<AccountRow, 'disabled_at' | 'created_at'>,
): Promise<AccountRow> {
  const updated = firstOf(await update(tx, row));
  if (!updated) throw new Error('an account was not changed');
  return updated;
}

interface SeenBy {
  readonly polyUserId: string;
  /** True if they see all accounts. */
  readonly isEverywhere: boolean;
  /** Only this account; null for all. */
  readonly only: number | null;
  /** The sign-in provider of their session. */
  readonly provider: string | null;
}

/** Returns a page of the accounts that a person sees, with their roles, and the total count. */
export async function listAccounts(
  on: Queryable,
  { polyUserId, isEverywhere, only, provider }: SeenBy,
  [limit, offset]: readonly [number, number],
) {
  const by = { poly_user_id: polyUserId, is_everywhere: isEverywhere, only, provider };
  return withTotal(seenPage(on, { ...by, limit, offset }), count(on, by));
}
