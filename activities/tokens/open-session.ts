import type { Queryable } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { addSession, addSessionOnce } from '../../db/queries/credentials.ts';
import type { Spending } from '../../db/queries/spent-tokens.ts';
import type { Role } from '../../domain/names.ts';
import { assertRule } from '../../domain/tokens/bundle-refused.ts';
import type { PlatformSigner } from '../keys/directory/load-keys.ts';
import { mintSessionToken, sessionLifeMs, type SessionLives } from './session-token.ts';

export interface OpenSessionDeps {
  readonly on: Queryable;
  readonly tokens: PlatformSigner;
  /** Base URL of the platform. */
  readonly issuer: string;
  readonly ids: Ids;
  /** Life of the session; `sessionLifeMs` by default. */
  readonly livesMs?: SessionLives;
}

export interface SessionRequest {
  readonly polyUserId: string;
  readonly authMethod: 'cert' | 'email';
  readonly accountId: number | null;
  /** Current roles in the database. */
  readonly roles: readonly Role[];
  readonly authTime: Date;
  /** Login email of the sign-in. Revoking it ends the session. */
  readonly identityId?: number;
  /** Device of the sign-in key. Revoking it ends the session. */
  readonly deviceId?: string | null;
  /** Session id, if a value of the session was sealed under it already. */
  readonly sid?: string;
  readonly deviceLabelSealed?: Buffer | null;
  /** Sign-in provider. The session stays in the provider's account, even if a bundle raises it. */
  readonly provider?: string | undefined;
  /** The only account in which the session can continue. */
  readonly confinedTo?: number | undefined;
  /** Earlier end than usual, in whole seconds. */
  readonly notAfter?: Date;
  /** The bundle that is used up, in the same statement that stores the session. */
  readonly spending?: Spending;
}

/**
 * Opens a session: a row that can be revoked, and a token with its id.
 * @throws BundleRefused `jti` if the bundle was used before
 */
export async function openSession(
  { on, tokens, issuer, ids, livesMs = sessionLifeMs }: OpenSessionDeps,
  request: SessionRequest,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const { polyUserId, authMethod } = request;
  const usualEnd = secondsOf(now) * 1000 + livesMs[authMethod];
  const expiresAt = new Date(Math.min(usualEnd, request.notAfter?.getTime() ?? Infinity));
  const sid = request.sid ?? ids.make('sid');
  const row = {
    sid,
    polyUserId,
    authMethod,
    createdAt: now,
    expiresAt,
    identityId: request.identityId ?? null,
    deviceId: request.deviceId ?? null,
    deviceLabelSealed: request.deviceLabelSealed ?? null,
    accountId: request.accountId,
    confinedTo: request.confinedTo ?? (request.provider === undefined ? null : request.accountId),
  };
  const { spending } = request;
  if (spending) assertRule('jti', await addSessionOnce(on, row, spending));
  else await addSession(on, row);
  const session = { ...request, sid, expiresAt };
  const token = await remintSession({ tokens, issuer, ids }, session, request, now);
  return { token, expiresAt };
}

/** A running session, as described by its own token. */
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
 * Mints another token of a running session for another account, with the same assurance and end.
 * It is revoked with the session.
 */
export function remintSession(
  { tokens, issuer, ids }: Omit<OpenSessionDeps, 'on' | 'livesMs'>,
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
