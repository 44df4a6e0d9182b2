import type { Request } from 'express';
import { checkTokenTyp } from '../../../activities/tokens/check-token.ts';
import { joinTokenTyp } from '../../../activities/tokens/join-token.ts';
import { parseJws, type ParsedJws } from '../../../domain/tokens/jws.ts';
import { Failure } from '../../../workflows/failures.ts';
import { provesItself, type AuthKind } from './access-rules.ts';
import type { Caller } from './caller.ts';
import { authenticateApiKey } from './credentials/api-key.ts';
import { authenticateCheckToken } from './credentials/check-token.ts';
import type { AuthDeps } from './credentials/has-expired.ts';
import { authenticateJoinToken } from './credentials/join-token.ts';
import { authenticateSession } from './credentials/session.ts';

const anonymous: Caller = { kind: 'anonymous' };
/** The kinds that admit a caller without a credential. */
const nameless: readonly AuthKind[] = ['public', 'cookie-nonce'];
const tokenBytesMax = 8 * 1024;

/**
 * Identifies the caller by `Authorization: Bearer` or `X-API-Key`. A route that admits no
 * credential does not read any, so an expired one does no harm there. On other routes a credential
 * must be valid and of an admitted kind. Without one, the caller of a public route is anonymous.
 * @throws Failure 401 `credential_missing`, `credential_malformed`, `credential_expired` or
 *   `credential_invalid`, and 400 `credential_ambiguous` for two credentials
 */
export async function authenticate(
  admitted: readonly AuthKind[],
  request: Request,
  deps: AuthDeps,
  now: Date,
): Promise<Caller> {
  if (!readsCredential(admitted)) return anonymous;
  const bearer = bearerOf(request);
  const apiKey = request.get('x-api-key');
  if (bearer !== undefined && apiKey !== undefined) throw new Failure('credential_ambiguous');
  const credential = bearer ?? apiKey;
  if (credential === undefined) {
    if (admitted.some((kind) => nameless.includes(kind))) return anonymous;
    throw new Failure('credential_missing');
  }
  if (credential.length > tokenBytesMax) throw new Failure('credential_malformed');
  const caller = await callerOf(credential, apiKey !== undefined, deps, now);
  if (!admits(admitted, caller)) throw new Failure('credential_invalid');
  return caller;
}

/** Whether an operation reads an API key or a token. */
export const readsCredential = (admitted: readonly AuthKind[]): boolean =>
  !provesItself(admitted) && !admitted.every((kind) => nameless.includes(kind));

async function callerOf(
  credential: string,
  isHeaderKey: boolean,
  deps: AuthDeps,
  now: Date,
): Promise<Caller> {
  if (isHeaderKey || credential.startsWith('tk_')) {
    return authenticateApiKey(deps, credential, now);
  }
  return callerOfToken(deps, credential, now);
}

/**
 * Finds the caller of a check, join or session token.
 * @param trustedMs how long a cached result about a session is used
 * @throws Failure `credential_malformed`, `credential_expired` or `credential_invalid`
 */
export async function callerOfToken(
  deps: AuthDeps,
  token: string,
  now: Date,
  trustedMs?: number,
): Promise<Caller> {
  const jws = parseJws(token);
  if (!jws) {
    const detail = 'The credential is neither an API key nor a token. Copy it again, whole';
    throw new Failure('credential_malformed', { detail });
  }
  return (await scopedCallerOf(deps, jws, now)) ?? authenticateSession(deps, token, now, trustedMs);
}

async function scopedCallerOf(
  deps: AuthDeps,
  { token, header }: ParsedJws,
  now: Date,
): Promise<Caller | null> {
  switch (header['typ']) {
    case checkTokenTyp:
      return authenticateCheckToken(deps, token, now);
    case joinTokenTyp:
      return authenticateJoinToken(deps, token, now);
    default:
      return null;
  }
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

/**
 * Returns the bearer token, or undefined without one. The scheme is case-insensitive (RFC 9110
 * §11.1). Two headers are refused, because Node would use the first one.
 * @throws Failure `credential_ambiguous` or `credential_malformed`
 */
export function bearerOf(request: Request): string | undefined {
  const [header, ...more] = request.headersDistinct['authorization'] ?? [];
  if (header === undefined) return undefined;
  if (more.length > 0) throw new Failure('credential_ambiguous');
  const match = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(header);
  if (!match?.[1]) {
    throw new Failure('credential_malformed', {
      detail: 'Send `Authorization: Bearer` and an API key or a token',
    });
  }
  return match[1];
}
