import { AsyncLocalStorage } from 'node:async_hooks';
import { isListed, lookups } from './account-lookups.ts';

/** The setting that the row policies compare with `account_id`. */
export const accountSetting = 'trustcheck.account_id';
/** The value of the setting that reaches the rows of every account. */
export const anyAccount = 'any';

/** The rows of tenant tables that the statements of one request reach. */
interface AccountScope {
  /** Null: no row. */
  account: number | typeof anyAccount | null;
  /** The credential decided the account: look-ups stay in it and do not change it. */
  isFixed: boolean;
}

/** Marked pure: the browser's verifier leaves it out. */
const scopes = /* @__PURE__ */ new AsyncLocalStorage<AccountScope>();

/** Runs a request whose account is not known yet. */
export function inOpenScope<T>(work: () => T): T {
  return scopes.run({ account: null, isFixed: false }, work);
}

/** Runs work in one account, outside of a request or beside its account. */
export function inAccount<T>(accountId: number, work: () => T): T {
  return scopes.run({ account: accountId, isFixed: true }, work);
}

/** Limits the rest of the request to the rows of one account; null: to no row. */
export function fixAccount(account: number | typeof anyAccount | null): void {
  const scope = scopes.getStore();
  if (scope) Object.assign(scope, { account, isFixed: true });
}

/** Lets the rest of the request act in an account, until a look-up finds another one. */
export function scopeToAccount(accountId: number): void {
  const scope = scopes.getStore();
  if (scope && !scope.isFixed) scope.account = accountId;
}

/** The value of `accountSetting` for a statement; empty where it reaches no row. */
export function settingFor(name: string): string {
  const scope = scopes.getStore();
  if (isListed(name) && !scope?.isFixed) return anyAccount;
  return String(scope?.account ?? '');
}

/** Enters the account of the first row that a look-up found. */
export function enterFound<Row>(name: string, rows: Row[]): Row[] {
  const row: unknown = name in lookups ? rows[0] : null;
  if (typeof row !== 'object' || row === null || !('account_id' in row)) return rows;
  if (typeof row.account_id === 'number') scopeToAccount(row.account_id);
  return rows;
}
