import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { hookContracts } from './contract.ts';

/** Throws `platform_not_configured` where nothing of conference platform B is served. */
export function assertEventsConfigured({ settings }: Pick<Deps, 'settings'>): void {
  if (!settings.takesConfBEvents) throw new Failure('platform_not_configured');
}

/** Nothing is kept of it: it is counted with all calls. */
export const loaded = handler(hookContracts.loaded)(async (
  _input,
  deps: Pick<Deps, 'settings'>,
) => {
  assertEventsConfigured(deps);
  return { status: 200, isEmpty: true };
});
