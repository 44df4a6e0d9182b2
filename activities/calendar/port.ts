import type { CalendarIntent } from '../../domain/names.ts';
import type { CalendarDenial } from '../../workflows/calendar-oauth/state.ts';
import type { ConsentAnswer, ConsentChallenge } from '../identity/sso/consent.ts';

/** Access to a mailbox that a person has granted. */
export interface CalendarGrant {
  /** Subject identifier of the person at the provider. */
  readonly subject: string;
  /** Email address, verified by the provider. */
  readonly address: string;
  /** Null if the provider returned none; then an earlier token stays valid. */
  readonly refreshToken: string | null;
}

/**
 * Consent and grants of a calendar provider.
 * @throws Failure `dependency_unavailable` from every method, if the provider is unavailable or its
 *   response is invalid; it does not mean that the grant has ended
 */
export interface CalendarProvider {
  readonly issuer: string;
  /** Returns the authorization URL for the browser. */
  authorizeUrl(
    request: ConsentChallenge & { readonly state: string; readonly intent: CalendarIntent },
  ): Promise<string>;
  /** Exchanges an authorization code, which works once. */
  exchange(answer: ConsentAnswer): Promise<CalendarGrant | { readonly denial: CalendarDenial }>;
  /** Returns the refresh token to use from now on, or null if the grant has ended. */
  refresh(refreshToken: string): Promise<string | null>;
  /** Revokes a grant (RFC 7009). Succeeds if it has ended already. */
  revoke(refreshToken: string): Promise<void>;
}
