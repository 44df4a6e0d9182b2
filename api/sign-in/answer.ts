import type { Membership } from '../../db/queries/memberships.ts';

/** A session that was opened or continued. */
export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: Date;
  readonly authMethod: 'cert' | 'email';
  readonly polyUserId: string;
  /** The membership it acts under; null for none. */
  readonly chosen: Membership | null;
  readonly memberships: readonly Membership[];
  readonly adoptedPolyUserId?: string;
}

/** Returns the response of every operation that issues a session. */
export function presentSession(opened: OpenedSession) {
  const { token, expiresAt, authMethod, polyUserId, chosen, memberships } = opened;
  return {
    session_token: token,
    token_type: 'Bearer' as const,
    expires_at: expiresAt.toISOString(),
    auth_method: authMethod,
    account_id: chosen?.account_id ?? null,
    roles: [...(chosen?.roles ?? [])],
    poly_user_id: polyUserId,
    accounts: memberships.map((one) => ({ ...one, roles: [...one.roles] })),
    ...(opened.adoptedPolyUserId === undefined
      ? {}
      : { adopted_poly_user_id: opened.adoptedPolyUserId }),
  };
}
