import { AsyncLocalStorage } from 'node:async_hooks';
import { isListed, lookups } from './account-lookups.ts';

/** PostgreSQL setting that the row policies compare with `account_id`. */
export const accountSetting = 'trustcheck.account_id';
/** Value of the setting that allows the rows of every account. */
export const anyAccount = 'any';

/** Which rows of tenant tables the statements of one request can read and write. */
interface AccountScope {
  /** Null: no rows. */
  account: number | typeof anyAccount | null;
  /** The credential decided the account: look-ups are limited to it and do not change it. */
  isFixed: boolean;
}

/** Marked pure, so that the bundle of the browser verifier omits it. */
const scopes = /* @__PURE__ */ new AsyncLocalStorage<AccountScope>();

/** Runs a request whose account is not known yet. */
export function inOpenScope<T>(work: () => T): T {
  return scopes.run({ account: null, isFixed: false }, work);
}

/** Runs work in one account, outside a request or in another account than the request. */
export function inAccount<T>(accountId: number, work: () => T): T {
  return scopes.run({ account: accountId, isFixed: true }, work);
}

/** Limits the rest of the request to the rows of one account. Null: to no rows. */
export function fixAccount(account: number | typeof anyAccount | null): void {
  const scope = scopes.getStore();
  if (scope) Object.assign(scope, { account, isFixed: true });
}

/** Lets the rest of the request act in an account, until a look-up finds another one. */
export function scopeToAccount(accountId: number): void {
  const scope = scopes.getStore();
  if (scope && !scope.isFixed) scope.account = accountId;
}

/** Returns the value of `accountSetting` for a statement. An empty value allows no rows. */
export function settingFor(name: string): string {
  const scope = scopes.getStore();
  if (isListed(name) && !scope?.isFixed) return anyAccount;
  return String(scope?.account ?? '');
}

/** If a look-up found a row, sets the account of the request to the account of the first one. */
export function enterFound<Row>(name: string, rows: Row[]): Row[] {
  const row: unknown = name in lookups ? rows[0] : null;
  if (typeof row !== 'object' || row === null || !('account_id' in row)) return rows;
  if (typeof row.account_id === 'number') scopeToAccount(row.account_id);
  return rows;
}
