import { Failure } from '../../../workflows/failures.ts';
import type { Caller } from './caller.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/**
 * Returns the only account a session may act in: that of its sign-in provider, or of the app it was
 * opened for. Undefined for a session without such a limit.
 */
export function onlyAccountOf({ provider, accountId, confinedTo }: Session): number | undefined {
  return provider === undefined ? confinedTo : (accountId ?? 0);
}

/**
 * Returns the person for whom the caller may act in all accounts. Null for a caller that is not a
 * person, and for a session limited to one account.
 */
export function unlimitedPersonOf(caller: Caller): string | null {
  const isWhole = caller.kind === 'session' && onlyAccountOf(caller) === undefined;
  return isWhole ? caller.polyUserId : null;
}

/**
 * Returns the person for whom the caller may act on their own things in an account. A session
 * without a limit acts in any account, a confined one only in its own. Null for a session of a
 * sign-in provider, even in the provider's account.
 */
export function personIn(caller: Caller, accountId: number): string | null {
  if (caller.kind !== 'session' || caller.provider !== undefined) return null;
  return [undefined, accountId].includes(caller.confinedTo) ? caller.polyUserId : null;
}

/** @throws Failure `own_sign_in_required` for a session that is limited to one account */
export function assertUnlimitedSession(caller: Caller): void {
  const isPart = caller.kind === 'session' && onlyAccountOf(caller) !== undefined;
  if (isPart) throw new Failure('own_sign_in_required');
}
