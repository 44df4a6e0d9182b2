import { Failure } from '../../workflows/failures.ts';
import type { Caller } from '../auth/caller.ts';

/**
 * The person who calls: two people decide about a recovery, and nobody knows who holds an API key.
 * @throws Failure `session_required`
 */
export function mustBePerson(caller: Caller): string {
  if (caller.kind !== 'session') throw new Failure('session_required');
  return caller.polyUserId;
}
