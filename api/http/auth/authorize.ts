import type { Reach } from '../../../db/client.ts';
import { anyAccount, scopeToAccount, fixAccount } from '../../../db/rights/account-scope.ts';
import { hasRole } from '../../../domain/names.ts';
import { Failure, type FailureCode } from '../../../workflows/failures.ts';
import type { AccessRules } from './access-rules.ts';
import { assertRecentDeviceProof } from './assurance.ts';
import type { Caller } from './caller.ts';

/** A stored object: the account it belongs to, its app, and the mode of its app. */
export interface Owned {
  readonly account_id: number;
  /** Null for an object that belongs to no app, which a key limited to apps does not reach. */
  readonly app_id: string | null;
  readonly livemode: boolean;
}

/** The checks of one call: every handler with objects asks one of them for each object. */
export interface Access {
  /**
   * Lets the caller act on an object. Every handler with a role calls this or `authorizeIn`.
   * @throws `not_found` for a stranger, for a test key on a live object and for a key limited to
   *   other apps, `role_required`, `test_key_required` where only a key of the object's own mode
   *   may act
   */
  readonly authorize: (thing: Owned) => void;
  /**
   * Lets the caller act on an account, and returns what of it they reach.
   * @throws `not_found` for a stranger, `role_required`
   */
  readonly authorizeIn: (accountId: number) => Reach;
  /** Whether the caller's key reaches an object, whatever their account and role. */
  readonly reaches: (thing: Owned) => boolean;
}

/** The checks of one call, and which of them its handler has made. */
export interface Authorization extends Access {
  /** The accounts the caller was authorized for. */
  readonly accounts: ReadonlySet<number>;
  readonly isAsked: () => boolean;
}

/**
 * Whether a caller's credential reaches an object: a test key reaches test objects only, a key
 * limited to apps the objects of these.
 */
export function canReach(caller: Caller, thing: Owned): boolean {
  const { livemode, appIds } = reachOf(caller);
  if (livemode === false && thing.livemode) return false;
  return appIds === null || (thing.app_id !== null && appIds.includes(thing.app_id));
}

/** What lists may show to a caller. */
export const reachOf = (caller: Caller): Reach => ({
  livemode: caller.kind === 'api-key' && !caller.livemode ? false : null,
  appIds: caller.kind === 'api-key' ? caller.appIds : null,
});

/**
 * Refuses a key of the wrong mode before anything is read.
 * @throws `live_key_required`, `test_key_required`
 */
export function checkKeyMode({ keyMode }: AccessRules, caller: Caller): void {
  const isLiveKey = caller.kind === 'api-key' && caller.livemode;
  const isTestKey = caller.kind === 'api-key' && !caller.livemode;
  if (keyMode === 'live' && isTestKey) throw new Failure('live_key_required');
  const isForTests = keyMode === 'test' && (isLiveKey || caller.kind === 'session');
  if (isForTests) throw new Failure('test_key_required');
}

/** The refusals that `checkKeyMode` and `authorize` add to a row. */
export function keyModeErrors({ keyMode }: AccessRules): FailureCode[] {
  if (keyMode === 'live') return ['live_key_required'];
  return keyMode === 'test' || keyMode === 'own' ? ['test_key_required'] : [];
}

/** The checks of one call of an operation. */
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
 * Limits the statements of a call to the account of its caller, where the caller acts for one.
 * Other calls act in the account of the object that they find.
 */
export function limitToAccount({ auth, role }: AccessRules, caller: Caller): void {
  if (caller.kind !== 'session' && caller.kind !== 'api-key') return;
  const { accountId } = caller;
  const isOwn = role !== undefined || (caller.kind === 'api-key' && !auth.includes('public'));
  if (isOwn) fixAccount(isAnywhere(caller) ? anyAccount : accountId);
  else if (accountId !== null) scopeToAccount(accountId);
}

/** A POLYADMIN acts in every account. */
const isAnywhere = (caller: Caller): boolean =>
  caller.kind === 'session' && caller.roles.includes('POLYADMIN');

/** Tokens of one check or meeting name their object themselves; a POLYADMIN acts anywhere. */
function isOf(caller: Caller, accountId: number): boolean {
  if (caller.kind !== 'session' && caller.kind !== 'api-key') return true;
  return isAnywhere(caller) || caller.accountId === accountId;
}
