import type { Reach } from '../../../db/client.ts';
import { anyAccount, scopeToAccount, fixAccount } from '../../../db/rights/account-scope.ts';
import { hasRole } from '../../../domain/names.ts';
import { Failure, type FailureCode } from '../../../workflows/failures.ts';
import type { AccessRules } from './access-rules.ts';
import { assertRecentDeviceProof } from './assurance.ts';
import type { Caller } from './caller.ts';

/** A stored object: its account, its app, and the mode of its app. */
export interface Owned {
  readonly account_id: number;
  /** Null for an object of no app, which a key limited to apps cannot reach. */
  readonly app_id: string | null;
  readonly livemode: boolean;
}

/** The access checks of one call. A handler must make one of them for each object. */
export interface Access {
  /**
   * Authorizes the caller to act on an object. Every handler with a role calls this or
   * `authorizeIn`.
   * @throws `not_found` for a caller of another account, for a test key on a live object and for a
   *   key limited to other apps; `role_required`; `test_key_required` where only a key of the
   *   object's own mode may act
   */
  readonly authorize: (thing: Owned) => void;
  /**
   * Authorizes the caller to act on an account, and returns which of its objects they reach.
   * @throws `not_found` for a caller of another account, `role_required`
   */
  readonly authorizeIn: (accountId: number) => Reach;
  /** Whether the caller's key reaches an object, whatever their account and role. */
  readonly reaches: (thing: Owned) => boolean;
}

/** The access checks of one call, with a record of those its handler has made. */
export interface Authorization extends Access {
  /** The accounts the caller was authorized for. */
  readonly accounts: ReadonlySet<number>;
  readonly isAsked: () => boolean;
}

/**
 * Whether a caller's credential reaches an object: a test key reaches test objects only, a key
 * limited to apps reaches the objects of these apps only.
 */
export function canReach(caller: Caller, thing: Owned): boolean {
  const { livemode, appIds } = reachOf(caller);
  if (livemode === false && thing.livemode) return false;
  return appIds === null || (thing.app_id !== null && appIds.includes(thing.app_id));
}

/** Returns the limits of what lists may show to a caller. */
export const reachOf = (caller: Caller): Reach => ({
  livemode: caller.kind === 'api-key' && !caller.livemode ? false : null,
  appIds: caller.kind === 'api-key' ? caller.appIds : null,
});

/**
 * Refuses a key of the wrong mode before any object is read.
 * @throws `live_key_required`, `test_key_required`
 */
export function checkKeyMode({ keyMode }: AccessRules, caller: Caller): void {
  const isLiveKey = caller.kind === 'api-key' && caller.livemode;
  const isTestKey = caller.kind === 'api-key' && !caller.livemode;
  if (keyMode === 'live' && isTestKey) throw new Failure('live_key_required');
  const isForTests = keyMode === 'test' && (isLiveKey || caller.kind === 'session');
  if (isForTests) throw new Failure('test_key_required');
}

/** Returns the failures that `checkKeyMode` and `authorize` add to a row. */
export function keyModeErrors({ keyMode }: AccessRules): FailureCode[] {
  if (keyMode === 'live') return ['live_key_required'];
  return keyMode === 'test' || keyMode === 'own' ? ['test_key_required'] : [];
}

export function createAuthorization(
  contract: AccessRules,
  caller: Caller,
  now: Date,
): Authorization {
  const accounts = new Set<number>();
  let isAsked = false;
  const enter = (accountId: number): void => {
    isAsked = true;
    accounts.add(accountId);
    if (!isOf(caller, accountId)) throw new Failure('not_found');
  };
  const checkRole = (): void => {
    const { role, assurance } = contract;
    if (role && 'roles' in caller && !hasRole(caller.roles, role)) {
      throw new Failure('role_required');
    }
    if (assurance) assertRecentDeviceProof(caller, now);
  };
  return {
    accounts,
    isAsked: () => isAsked,
    authorize: (thing) => {
      enter(thing.account_id);
      if (!canReach(caller, thing)) throw new Failure('not_found');
      checkRole();
      if (contract.keyMode !== 'own' || caller.kind !== 'api-key') return;
      if (caller.livemode !== thing.livemode) throw new Failure('test_key_required');
    },
    authorizeIn: (accountId) => {
      enter(accountId);
      checkRole();
      return reachOf(caller);
    },
    reaches: (thing) => {
      isAsked = true;
      return canReach(caller, thing);
    },
  };
}

/**
 * Limits the SQL statements of a call to the caller's account, where the caller acts for one. Other
 * calls act in the account of the object that they find.
 */
export function limitToAccount({ auth, role }: AccessRules, caller: Caller): void {
  if (caller.kind !== 'session' && caller.kind !== 'api-key') return;
  const { accountId } = caller;
  const isOwn = role !== undefined || (caller.kind === 'api-key' && !auth.includes('public'));
  if (isOwn) fixAccount(isAnywhere(caller) ? anyAccount : accountId);
  else if (accountId !== null) scopeToAccount(accountId);
}

/** A POLYADMIN may act in every account. */
const isAnywhere = (caller: Caller): boolean =>
  caller.kind === 'session' && caller.roles.includes('POLYADMIN');

/**
 * A token of one check or meeting identifies its object itself. A POLYADMIN acts in any account.
 */
function isOf(caller: Caller, accountId: number): boolean {
  if (caller.kind !== 'session' && caller.kind !== 'api-key') return true;
  return isAnywhere(caller) || caller.accountId === accountId;
}
