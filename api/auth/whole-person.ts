import { Failure } from '../../workflows/failures.ts';
import type { Caller } from './caller.ts';

/**
 * The person a caller speaks for wherever they are known; null for a caller that is no person, and
 * for a session that came by a sign-in provider, whose word is good in its own account alone.
 */
export function wholePersonOf(caller: Caller): string | null {
  return caller.kind === 'session' && caller.provider === undefined ? caller.polyUserId : null;
}

/** @throws Failure `own_sign_in_required` for a session that came by a sign-in provider */
export function mustBeWhole(caller: Caller): void {
  const isPart = caller.kind === 'session' && caller.provider !== undefined;
  if (isPart) throw new Failure('own_sign_in_required');
}
