import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { hookContracts } from './contract.ts';

/** @throws Failure `platform_not_configured` if conference platform B is not configured */
export function assertEventsConfigured({ settings }: Pick<Deps, 'settings'>): void {
  if (!settings.takesConfBEvents) throw new Failure('platform_not_configured');
}

/** Stores nothing. The call is counted in the metrics of all calls. */
export const loaded = handler(hookContracts.loaded)(async (
  _input,
  deps: Pick<Deps, 'settings'>,
) => {
  assertEventsConfigured(deps);
  return { status: 200, isEmpty: true };
});
