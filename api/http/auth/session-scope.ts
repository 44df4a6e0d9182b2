import { Failure } from '../../../workflows/failures.ts';
import type { Caller } from './caller.ts';

type Session = Extract<Caller, { kind: 'session' }>;

/**
 * The only account a session counts in: that of the sign-in provider it came by, or of the app it
 * was opened for; undefined for one that speaks for a whole person.
 */
export function onlyAccountOf({ provider, accountId, confinedTo }: Session): number | undefined {
  return provider === undefined ? confinedTo : (accountId ?? 0);
}

/**
 * The person a caller speaks for wherever they are known; null for a caller that is no person, and
 * for a session that counts in one account alone.
 */
export function unlimitedPersonOf(caller: Caller): string | null {
  const isWhole = caller.kind === 'session' && onlyAccountOf(caller) === undefined;
  return isWhole ? caller.polyUserId : null;
}

/**
 * The person a caller speaks for in the things of an account: a whole one in any, one whose session
 * is confined in that account. Whoever a provider signed in is nobody's subject even there.
 */
export function personIn(caller: Caller, accountId: number): string | null {
  if (caller.kind !== 'session' || caller.provider !== undefined) return null;
  return [undefined, accountId].includes(caller.confinedTo) ? caller.polyUserId : null;
}

/** @throws Failure `own_sign_in_required` for a session that counts in one account alone */
export function assertUnlimitedSession(caller: Caller): void {
  const isPart = caller.kind === 'session' && onlyAccountOf(caller) !== undefined;
  if (isPart) throw new Failure('own_sign_in_required');
}
