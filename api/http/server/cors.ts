import type { Request, Response } from 'express';
import { statement } from '../../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Caller } from '../auth/caller.ts';
import { authenticateCheckToken } from '../auth/credentials/check-token.ts';
import { authenticateJoinToken } from '../auth/credentials/join-token.ts';
import type { Contract } from '../contract.ts';
import { answerHeaders } from '../openapi-headers.ts';

type CorsDeps = Pick<Deps, 'db' | 'keys' | 'settings' | 'clock'>;

const originLengthMax = 256;
/** No browser exposes `Set-Cookie` (Fetch §2.2.2). */
const exposed = Object.keys(answerHeaders)
  .filter((name) => name !== 'Set-Cookie')
  .join(', ');
const isAllowed = statement<{ allowed: boolean }>(
  'apps.allows_origin',
  `SELECT true AS allowed
   FROM apps WHERE :origin = ANY (allowed_origins) AND status = 'active' LIMIT 1`,
);

const allowedToCheck = statement<{ allowed: boolean }>(
  'apps.allows_origin_to_check',
  `SELECT true AS allowed FROM trust_checks t JOIN apps a USING (app_id)
   WHERE t.link_session_id = :linkSessionId AND :origin = ANY (a.allowed_origins)
     AND a.status = 'active'`,
);
const allowedToJoin = statement<{ allowed: boolean }>(
  'apps.allows_origin_to_join',
  `SELECT true AS allowed
   FROM join_sessions j JOIN links USING (link_uuid) JOIN apps a USING (app_id)
   WHERE j.join_session_id = :joinSessionId AND :origin = ANY (a.allowed_origins)
     AND a.status = 'active'`,
);

/** A caller with a credential of one link, and so of one app. */
type LinkCaller = Extract<Caller, { kind: 'check-token' | 'join-token' }>;
export const isOfLink = (caller: Caller): caller is LinkCaller =>
  caller.kind === 'check-token' || caller.kind === 'join-token';

/** Whether the app of the caller's link lists this origin. */
export async function isOriginOfLink(
  deps: Pick<Deps, 'db'>,
  origin: string,
  caller: LinkCaller,
): Promise<boolean> {
  if (origin.length > originLengthMax) return false;
  const rows =
    caller.kind === 'check-token'
      ? await allowedToCheck(deps.db, { linkSessionId: caller.linkSessionId, origin })
      : await allowedToJoin(deps.db, { joinSessionId: caller.joinSessionId, origin });
  return rows.length > 0;
}

/** Whether any app lists this origin. */
export async function isOriginOfApps(deps: Pick<Deps, 'db'>, origin: string): Promise<boolean> {
  return origin.length <= originLengthMax && (await isAllowed(deps.db, { origin })).length > 0;
}

/**
 * Sets the CORS headers for a browser of another origin, only if an app lists exactly that origin.
 * With a check or join token it must be the app of the link. A preflight carries no token, so any
 * app suffices. For payload decoding only the origin of the Temporal UI is allowed. The service's
 * own pages are same-origin and need no header. `*` is never sent.
 */
export async function allowOrigin(
  deps: CorsDeps,
  contract: Contract,
  request: Request,
  response: Response,
): Promise<void> {
  const { origin } = request.headers;
  response.setHeader('Vary', 'Origin');
  if (origin === undefined || deps.settings.origins.includes(origin)) return;
  const isAllowedHere = contract.id.startsWith('codec.')
    ? deps.settings.temporalUiOrigins.includes(origin)
    : await isListed(deps, contract, request, origin);
  if (!isAllowedHere) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Methods', 'GET, PUT, POST, PATCH, DELETE');
  response.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, DPoP, Idempotency-Key, Prefer, Attest, Trustcheck-Version, ' +
      'X-Namespace, X-Operator-Token',
  );
  response.setHeader('Access-Control-Expose-Headers', exposed);
  response.setHeader('Access-Control-Max-Age', '600');
}

async function isListed(
  deps: CorsDeps,
  { auth }: Contract,
  request: Request,
  origin: string,
): Promise<boolean> {
  const caller = await linkCallerOf(deps, auth, request);
  return caller ? isOriginOfLink(deps, origin, caller) : isOriginOfApps(deps, origin);
}

/** Returns the link caller of the credential, where the operation takes check or join tokens. */
async function linkCallerOf(deps: CorsDeps, auth: Contract['auth'], request: Request) {
  if (!auth.includes('check-token') && !auth.includes('join-token')) return null;
  const token = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '')?.[1];
  if (token === undefined) return null;
  const now = deps.clock();
  return (
    (await authenticateCheckToken(deps, token, now)) ?? authenticateJoinToken(deps, token, now)
  );
}
