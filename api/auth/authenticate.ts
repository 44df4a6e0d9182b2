import type { Request } from 'express';
import { Failure } from '../../workflows/failures.ts';
import { provesItself, type AuthKind } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { authenticateApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';
import { authenticateCheckToken } from './check-token.ts';
import { authenticateJoinToken } from './join-token.ts';
import { authenticateSession } from './session.ts';

const anonymous: Caller = { kind: 'anonymous' };
/** A cookie is judged by what it belongs to; a credential besides is one too many. */
const nameless: readonly AuthKind[] = ['public', 'cookie-nonce'];
const tokenBytesMax = 8 * 1024;

export type AuthDeps = Pick<Deps, 'db' | 'keys' | 'settings'>;

/**
 * Finds out who calls from `Authorization: Bearer` or `X-API-Key`. A public route without any
 * credential gives the anonymous caller; a credential that is there must be good, even on a public
 * route, and of a kind the route admits. What a webhook or an operator brings is not looked at:
 * their handler does. Throws `credential_invalid`, one body for every cause,
 * and `credential_ambiguous` (400) for two at once.
 */
export async function authenticate(
  admitted: readonly AuthKind[],
  request: Request,
  deps: AuthDeps,
  now: Date,
): Promise<Caller> {
  if (provesItself(admitted)) return anonymous;
  const bearer = bearerOf(request);
  const apiKey = request.get('x-api-key');
  if (bearer !== undefined && apiKey !== undefined) throw new Failure('credential_ambiguous');
  const credential = bearer ?? apiKey;
  if (credential === undefined) {
    if (admitted.some((kind) => nameless.includes(kind))) return anonymous;
    throw new Failure('credential_invalid');
  }
  if (credential.length > tokenBytesMax) throw new Failure('credential_invalid');
  const caller = await callerOf(credential, apiKey !== undefined, deps, now);
  // On a purely public route a good credential is welcome and changes nothing.
  if (admitted.length === 1 && admitted[0] === 'public') return anonymous;
  if (!admits(admitted, caller)) throw new Failure('credential_invalid');
  return caller;
}

async function callerOf(
  credential: string,
  isHeaderKey: boolean,
  deps: AuthDeps,
  now: Date,
): Promise<Caller> {
  if (isHeaderKey || credential.startsWith('tk_')) {
    return authenticateApiKey(deps, credential, now);
  }
  return (
    authenticateCheckToken(deps, credential, now) ??
    authenticateJoinToken(deps, credential, now) ??
    (await authenticateSession(deps, credential, now))
  );
}

function admits(admitted: readonly AuthKind[], caller: Caller): boolean {
  switch (caller.kind) {
    case 'session':
      return admitted.includes('session') || admitted.includes('key');
    case 'api-key':
      return admitted.includes('key');
    case 'check-token':
      return admitted.includes('check-token');
    case 'join-token':
      return admitted.includes('join-token');
    case 'anonymous':
      return admitted.includes('public');
  }
}

function bearerOf(request: Request): string | undefined {
  const header = request.get('authorization');
  if (header === undefined) return undefined;
  const match = /^Bearer ([A-Za-z0-9._~+/=-]+)$/.exec(header);
  if (!match?.[1]) throw new Failure('credential_invalid');
  return match[1];
}
