import type { CalendarProvider } from '../../activities/calendar/port.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

/**
 * Returns the calendar provider.
 * @throws Failure `platform_not_configured`
 */
export function calendarProviderOrThrow({ outside }: Pick<Deps, 'outside'>): CalendarProvider {
  if (!outside.calendar) throw new Failure('platform_not_configured');
  return outside.calendar;
}
