import type { Queryable } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import type { Role } from '../../db/names.ts';
import { addSession } from '../../db/queries/credentials.ts';
import type { PlatformSigner } from '../certificates/load-keys.ts';
import { mintSessionToken, sessionLifeMs } from './session-token.ts';

export interface OpenSessionDeps {
  readonly on: Queryable;
  readonly tokens: PlatformSigner;
  /** The platform's base URL. */
  readonly issuer: string;
  readonly ids: Ids;
}

export interface SessionRequest {
  readonly polyUserId: string;
  readonly authMethod: 'cert' | 'email';
  readonly accountId: number | null;
  /** As the store has them now. */
  readonly roles: readonly Role[];
  readonly authTime: Date;
  /** The login email it came by, with whose revocation it ends. */
  readonly identityId?: number;
  /** The device whose key opened it, with whose revocation it ends. */
  readonly deviceId?: string | null;
  readonly deviceLabel?: string | undefined;
  /** The sign-in provider it came by, in whose account it stays, raised by a bundle or not. */
  readonly provider?: string | undefined;
  /** The only account it goes on in. */
  readonly confinedTo?: number | undefined;
  /** What it ends with, where that is sooner than usual; in whole seconds. */
  readonly notAfter?: Date;
}

/** Opens a session: a row that can be revoked, and the token that names it. */
export async function openSession(
  { on, tokens, issuer, ids }: OpenSessionDeps,
  request: SessionRequest,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const { polyUserId, authMethod } = request;
  const usualEnd = secondsOf(now) * 1000 + sessionLifeMs[authMethod];
  const expiresAt = new Date(Math.min(usualEnd, request.notAfter?.getTime() ?? Infinity));
  const sid = ids.make('sid');
  await addSession(on, {
    sid,
    polyUserId,
    authMethod,
    createdAt: now,
    expiresAt,
    identityId: request.identityId ?? null,
    deviceId: request.deviceId ?? null,
    deviceLabel: request.deviceLabel ?? null,
  });
  const session = { ...request, sid, expiresAt };
  const token = await remintSession({ tokens, issuer, ids }, session, request, now);
  return { token, expiresAt };
}

/** A session that is on, as its own token told it. */
export interface RunningSession {
  readonly sid: string;
  readonly polyUserId: string;
  readonly authMethod: 'cert' | 'email';
  readonly authTime: Date;
  readonly expiresAt: Date;
  readonly provider?: string | undefined;
  readonly confinedTo?: number | undefined;
}

/**
 * Another token of a running session, for another account: same session, same assurance, same end
 * (interface §3). It is revoked with the session.
 */
export function remintSession(
  { tokens, issuer, ids }: Omit<OpenSessionDeps, 'on'>,
  session: RunningSession,
  account: { readonly accountId: number | null; readonly roles: readonly Role[] },
  now: Date,
): Promise<string> {
  return mintSessionToken(tokens, issuer, {
    sub: session.polyUserId,
    sid: session.sid,
    jti: ids.make('jti'),
    iat: secondsOf(now),
    exp: secondsOf(session.expiresAt),
    auth_time: secondsOf(session.authTime),
    auth_method: session.authMethod,
    account_id: account.accountId,
    roles: account.roles,
    ...(session.provider === undefined ? {} : { idp: session.provider }),
    ...(session.confinedTo === undefined ? {} : { confined_to: session.confinedTo }),
  });
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
