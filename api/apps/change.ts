import { findAnyApp, updateApp } from '../../db/queries/apps.ts';
import type { AppRow } from '../../db/queries/credentials.ts';
import { Failure } from '../../workflows/failures.ts';
import type { AccountTransaction } from '../accounts/access/account-transaction.ts';
import { changesOf } from '../accounts/access/changes.ts';

/** The fields of an app that can change. */
export const appFields = [
  'name',
  'status',
  'redirect_url',
  'allowed_origins',
  'logo_url',
  'brand_color',
  'support_email',
  'support_url',
  'auto_redirect',
  'default_proofs',
  'tos_url',
  'tos_version',
  'install_url',
  'apple',
  'android',
] as const satisfies readonly (keyof AppRow)[];

/**
 * Returns an app of this account.
 * @throws Failure `not_found`
 */
export async function findAppOrThrow(
  { tx, account, reaches }: Pick<AccountTransaction, 'tx' | 'account' | 'reaches'>,
  appId: string,
): Promise<AppRow> {
  const app = await findAnyApp(tx, appId);
  if (app?.account_id !== account.account_id || !reaches(app)) throw new Failure('not_found');
  return app;
}

/** Returns the default redirect of an app's finished checks; null for none. */
export function defaultRedirectUrl(
  { kind, app_id }: Pick<AppRow, 'kind' | 'app_id'>,
  baseUrl: string,
): string | null {
  return kind === 'sdk' ? `${baseUrl}/success/by-app/${app_id}` : null;
}

/** Updates an app and adds an audit entry with the differences. Does nothing if there are none. */
export async function changeApp(
  { tx, note }: AccountTransaction,
  before: AppRow,
  after: AppRow,
  action: 'app.updated' | 'app.archived',
): Promise<AppRow> {
  const changes = changesOf(before, after, appFields);
  if (!changes) return before;
  const changed = await updateApp(tx, after);
  await note(action, before.app_id, changes);
  return changed;
}
