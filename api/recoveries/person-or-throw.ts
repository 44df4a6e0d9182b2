import { Failure } from '../../workflows/failures.ts';
import type { Caller } from '../http/auth/caller.ts';

/**
 * Returns the person who calls. API keys are refused: two people must decide.
 * @throws Failure `session_required`
 */
export function personOrThrow(caller: Caller): string {
  if (caller.kind !== 'session') throw new Failure('session_required');
  return caller.polyUserId;
}
