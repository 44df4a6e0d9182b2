import type { CalendarIntent } from '../../domain/names.ts';
import type { CalendarDenial } from '../../workflows/calendar-oauth/state.ts';
import type { ConsentAnswer, ConsentChallenge } from '../identity/sso/consent.ts';

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
    asked: ConsentChallenge & { readonly state: string; readonly intent: CalendarIntent },
  ): Promise<string>;
  /** Exchanges a code, which is good once. */
  exchange(answer: ConsentAnswer): Promise<CalendarGrant | { readonly denial: CalendarDenial }>;
  /** The refresh token that is good from now on; null where the grant has ended. */
  refresh(refreshToken: string): Promise<string | null>;
  /** Gives a grant back (RFC 7009); one that has ended is given back already. */
  revoke(refreshToken: string): Promise<void>;
}
