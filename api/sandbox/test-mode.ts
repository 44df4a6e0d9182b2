import { Failure } from '../../workflows/failures.ts';
import type { Caller } from '../auth/caller.ts';

/** Throws `test_mode_required` unless a key of test mode asks, for a thing of test mode if any. */
export function mustBeTest(caller: Caller, thing?: { readonly livemode: boolean }): void {
  const isTestKey = caller.kind === 'api-key' && !caller.livemode;
  if (!isTestKey || thing?.livemode) throw new Failure('test_mode_required');
}
