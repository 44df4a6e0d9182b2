import { openSession } from '../../activities/tokens/open-session.ts';
import type { Queryable } from '../../db/client.ts';
import type { Membership } from '../../db/queries/memberships.ts';
import type { Spending } from '../../db/queries/spent-tokens.ts';
import type { Deps } from '../deps.ts';
import type { OpenedSession } from './answer.ts';

/** The person a session is opened for, their proof, and the account it acts in. */
export interface Opening {
  readonly polyUserId: string;
  readonly authMethod: 'cert' | 'email';
  readonly authTime: Date;
  /** The membership it acts under; null for none. */
  readonly chosen: Membership | null;
  readonly memberships: readonly Membership[];
  /** The login email that was used. */
  readonly identityId?: number;
  /** The device that signed the bundle. */
  readonly deviceId?: string | null;
  /** The id of the session, where a value was sealed under it. */
  readonly sid?: string;
  readonly deviceLabelSealed?: Buffer | null;
  /** The sign-in provider that was used. */
  readonly provider?: string;
  /** The only account it may act in; `memberships` then has no others (`confinedIn`). */
  readonly confinedTo?: number;
  /** Latest end of the session, if it is earlier than usual; in whole seconds. */
  readonly notAfter?: Date;
  /** What opening the session uses up: its bundle. */
  readonly spending?: Spending;
}

/** Opens a session on the given connection, with the roles of the chosen membership. */
export async function open(
  { keys, ids, settings }: Pick<Deps, 'keys' | 'ids' | 'settings'>,
  on: Queryable,
  opening: Opening,
  now: Date,
): Promise<OpenedSession> {
  const { polyUserId, authMethod, chosen, memberships } = opening;
  const { token, expiresAt } = await openSession(
    {
      on,
      tokens: keys.tokens,
      issuer: settings.baseUrl,
      ids,
      livesMs: settings.sessionLivesMs,
    },
    { ...opening, accountId: chosen?.account_id ?? null, roles: chosen?.roles ?? [] },
    now,
  );
  return { token, expiresAt, authMethod, polyUserId, chosen, memberships };
}
