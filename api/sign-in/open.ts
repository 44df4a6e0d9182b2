import { openSession } from '../../activities/tokens/open-session.ts';
import type { Queryable } from '../../db/client.ts';
import type { Membership } from '../../db/queries/memberships.ts';
import type { Spending } from '../../db/queries/spent-tokens.ts';
import type { Deps } from '../deps.ts';
import type { OpenedSession } from './answer.ts';

/** Who a session is opened for, by what, and where it acts. */
export interface Opening {
  readonly polyUserId: string;
  readonly authMethod: 'cert' | 'email';
  readonly authTime: Date;
  /** The membership it acts under; null for none. */
  readonly chosen: Membership | null;
  readonly memberships: readonly Membership[];
  /** The login email it came by. */
  readonly identityId?: number;
  /** The device whose key opened it. */
  readonly deviceId?: string | null;
  /** The id, where a value of the session was sealed under it. */
  readonly sid?: string;
  readonly deviceLabelSealed?: Buffer | null;
  /** The sign-in provider it came by. */
  readonly provider?: string;
  /** The only account it goes on in: then these memberships are no others (`confinedIn`). */
  readonly confinedTo?: number;
  /** What it ends with, where that is sooner than usual; in whole seconds. */
  readonly notAfter?: Date;
  /** What is spent by opening it: the bundle it came by. */
  readonly spending?: Spending;
}

/** Opens a session on the connection given, with the roles of the membership that was chosen. */
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
