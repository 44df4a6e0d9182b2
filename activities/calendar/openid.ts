import { refreshTokenGrant, tokenRevocation } from 'openid-client';
import { readAddress } from '../../domain/identity/email-address.ts';
import type { CalendarIntent } from '../../domain/names.ts';
import {
  createConsent,
  refreshTokenOf,
  unlessEnded,
  type ConsentClient,
} from '../identity/sso/consent.ts';
import type { Issuers } from '../identity/sso/issuers.ts';
import type { CalendarProvider } from './port.ts';

/** The name under which the provider's faults are told. */
const calendarProviderName = 'calendar provider';

export interface OpenIdCalendarOptions extends Omit<ConsentClient, 'name'> {
  readonly scopes: Readonly<Record<CalendarIntent, string>>;
}

/** Without these some providers give a refresh token the first time alone. */
const lasting = { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'false' };

/** Calendars by consent, whose grants last until they are given or taken back. */
export function createOpenIdCalendar(
  issuers: Issuers,
  { scopes, ...client }: OpenIdCalendarOptions,
): CalendarProvider {
  const consent = createConsent(issuers, { ...client, name: calendarProviderName });
  return {
    issuer: client.issuer,
    authorizeUrl: ({ intent, ...asked }) =>
      consent.authorizeUrl({ ...asked, scope: scopes[intent] }, lasting),
    async exchange(answer) {
      const consented = await consent.exchange(answer);
      if ('denial' in consented) return consented;
      const { claims, refreshToken } = consented;
      const { sub: subject, email, email_verified: isVerified } = claims;
      const address = typeof email === 'string' ? readAddress(email) : null;
      if (!address || isVerified !== true) return { denial: 'address_unverified' };
      return { subject, address: address.deliverable, refreshToken };
    },
    refresh: (refreshToken) =>
      consent.ask(async (config) => {
        const told = await unlessEnded(refreshTokenGrant(config, refreshToken));
        return told && (refreshTokenOf(told.refresh_token) ?? refreshToken);
      }),
    revoke: (refreshToken) =>
      consent.ask(async (config) => {
        // Where a provider has no revocation, forgetting the token is all that can be done.
        if (!config.serverMetadata().revocation_endpoint) return;
        const hint = { token_type_hint: 'refresh_token' };
        await tokenRevocation(config, refreshToken, hint);
      }),
  };
}
