import { z } from 'zod';
import type { CalendarIntent } from '../../domain/names.ts';
import type { Issuers } from '../identity/sso/issuers.ts';
import { wholeOf } from '../runtime/config.ts';
import { createOpenIdCalendar } from './openid.ts';
import type { CalendarProvider } from './port.ts';

const scope = z
  .string()
  .max(1_000)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/)
  .refine((text) => text.split(' ').includes('openid'), 'must ask for openid')
  .default('openid email offline_access');

/** Settings of the calendar provider: issuer, client and secret together, or none of them. */
export const calendarConfig = z.object({
  CAL_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Issuer identifier of the calendar provider (OpenID Connect). It requires ' +
        '`CAL_CLIENT_ID` and `CAL_CLIENT_SECRET`. Without the three, `/cal/*` answers 409.',
    ),
  CAL_CLIENT_ID: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'Client id of this service at the calendar provider. Register the redirect URI ' +
        '`BASE_URL/cal/oauth/callback` there.',
    ),
  CAL_CLIENT_SECRET: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe('Client secret of this service at the calendar provider.'),
  CAL_ORGANIZER_SCOPE: scope.describe(
    'Scopes that the service requests for the calendar of an organizer, separated by ' +
      'spaces, with `openid` and `email`.',
  ),
  CAL_ROUTING_SCOPE: scope.describe(
    'Scopes that the service requests for an address that is invited to meetings, ' +
      'separated by spaces, with `openid` and `email`.',
  ),
});

/** Redirect path of the provider. This exact URL must be registered with the provider. */
export const calendarCallbackPath = '/cal/oauth/callback';

/**
 * Returns the configured provider, or null if there is none.
 * @throws Error with one line that names every missing setting, if only some are set
 */
export function createCalendarProvider(
  config: z.output<typeof calendarConfig> & { readonly BASE_URL: string },
  issuers: Issuers,
): CalendarProvider | null {
  const { CAL_ISSUER, CAL_CLIENT_ID, CAL_CLIENT_SECRET } = config;
  const set = wholeOf({ CAL_ISSUER, CAL_CLIENT_ID, CAL_CLIENT_SECRET });
  if (!set) return null;
  const scopes: Readonly<Record<CalendarIntent, string>> = {
    organizer: config.CAL_ORGANIZER_SCOPE,
    routing: config.CAL_ROUTING_SCOPE,
  };
  return createOpenIdCalendar(issuers, {
    issuer: set.CAL_ISSUER,
    clientId: set.CAL_CLIENT_ID,
    clientSecret: set.CAL_CLIENT_SECRET,
    scopes,
    redirectUri: `${config.BASE_URL}${calendarCallbackPath}`,
  });
}
