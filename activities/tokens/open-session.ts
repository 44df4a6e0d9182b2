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
  /** The platform's base URL. */
  readonly issuer: string;
  readonly ids: Ids;
  /** How long it lives; as usual where nothing is said. */
  readonly livesMs?: SessionLives;
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
  /** The id, where a value of the session was sealed under it. */
  readonly sid?: string;
  readonly deviceLabelSealed?: Buffer | null;
  /** The sign-in provider it came by, in whose account it stays, raised by a bundle or not. */
  readonly provider?: string | undefined;
  /** The only account it goes on in. */
  readonly confinedTo?: number | undefined;
  /** What it ends with, where that is sooner than usual; in whole seconds. */
  readonly notAfter?: Date;
  /** What is spent by opening it, in the same statement: the bundle it came by. */
  readonly spending?: Spending;
}

/**
 * Opens a session: a row that can be revoked, and the token that names it.
 * @throws BundleRefused `jti` where what it came by was spent before
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
