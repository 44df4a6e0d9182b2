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

/** Name of the provider in its error messages. */
const calendarProviderName = 'calendar provider';

export interface OpenIdCalendarOptions extends Omit<ConsentClient, 'name'> {
  readonly scopes: Readonly<Record<CalendarIntent, string>>;
}

/** Without these parameters some providers return a refresh token only for the first consent. */
const lasting = { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'false' };

/**
 * Returns a provider of calendars over OpenID Connect, with grants that last until they are
 * revoked.
 */
export function createOpenIdCalendar(
  issuers: Issuers,
  { scopes, ...client }: OpenIdCalendarOptions,
): CalendarProvider {
  const consent = createConsent(issuers, { ...client, name: calendarProviderName });
  return {
    issuer: client.issuer,
    authorizeUrl: ({ intent, ...challenge }) =>
      consent.authorizeUrl({ ...challenge, scope: scopes[intent] }, lasting),
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
        const tokens = await unlessEnded(refreshTokenGrant(config, refreshToken));
        return tokens && (refreshTokenOf(tokens.refresh_token) ?? refreshToken);
      }),
    revoke: (refreshToken) =>
      consent.ask(async (config) => {
        // If a provider has no revocation endpoint, we can only delete the token.
        if (!config.serverMetadata().revocation_endpoint) return;
        const hint = { token_type_hint: 'refresh_token' };
        await tokenRevocation(config, refreshToken, hint);
      }),
  };
}
