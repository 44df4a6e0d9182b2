import type { CalendarIntent } from '../../db/names.ts';
import type { CalendarDenial } from '../../workflows/calendar-oauth/state.ts';

/** What tells one way to the provider and back from every other. */
export interface CalendarChallenge {
  /** PKCE (RFC 7636), of which the provider is shown a digest first. */
  readonly verifier: string;
  /** OpenID Connect Core §3.1.2.1: comes back within the ID token. */
  readonly nonce: string;
}

/** What a browser has come back with. */
export interface CalendarAnswer extends CalendarChallenge {
  readonly code: string;
  /** Who says that they answer (RFC 9207); null where nobody does. */
  readonly iss: string | null;
}

/** A mailbox somebody has given us access to. */
export interface CalendarGrant {
  /** As the provider calls whoever has it. */
  readonly subject: string;
  /** Their address, which the provider has verified. */
  readonly address: string;
  /** Null where the provider gives none: then an earlier one is still good. */
  readonly refreshToken: string | null;
}

/**
 * A provider of calendars, as far as consent goes. Each call throws `dependency_unavailable` where
 * the provider is away, or answers what it must not: that says nothing of the grant.
 */
export interface CalendarProvider {
  readonly issuer: string;
  /** Where a browser is led for consent. */
  authorizeUrl(
    asked: CalendarChallenge & { readonly state: string; readonly intent: CalendarIntent },
  ): Promise<string>;
  /** Exchanges a code, which is good once. */
  exchange(answer: CalendarAnswer): Promise<CalendarGrant | { readonly denial: CalendarDenial }>;
  /** The refresh token that is good from now on; null where the grant has ended. */
  refresh(refreshToken: string): Promise<string | null>;
  /** Gives a grant back (RFC 7009); one that has ended is given back already. */
  revoke(refreshToken: string): Promise<void>;
}
