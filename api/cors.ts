import type { Request, Response } from 'express';
import { statement } from '../db/client.ts';
import type { Contract } from './contract.ts';
import type { Deps } from './deps.ts';
import { answerHeaders } from './openapi-headers.ts';

const originLengthMax = 256;
const isAllowed = statement<{ allowed: boolean }>(
  'apps.allows_origin',
  `SELECT true AS allowed FROM apps WHERE $1 = ANY (allowed_origins) AND status = 'active' LIMIT 1`,
);

/** Whether some app lists this origin. */
export async function isOriginOfApps(deps: Pick<Deps, 'db'>, origin: string): Promise<boolean> {
  return origin.length <= originLengthMax && (await isAllowed(deps.db, [origin])).length > 0;
}

/**
 * Answers a browser of another origin only when an app lists that very origin, about payloads only
 * when it is that of the Temporal UI. Our own pages are same-origin and need nothing; `*` is never
 * sent.
 */
export async function allowOrigin(
  deps: Pick<Deps, 'db' | 'settings'>,
  contract: Contract,
  request: Request,
  response: Response,
): Promise<void> {
  const { origin } = request.headers;
  response.setHeader('Vary', 'Origin');
  if (origin === undefined || deps.settings.origins.includes(origin)) return;
  const isAllowedHere = contract.id.startsWith('codec.')
    ? deps.settings.temporalUiOrigins.includes(origin)
    : await isOriginOfApps(deps, origin);
  if (!isAllowedHere) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Methods', 'GET, PUT, POST, PATCH, DELETE');
  response.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Idempotency-Key, Attest, X-Namespace, X-Operator-Token',
  );
  response.setHeader('Access-Control-Expose-Headers', Object.keys(answerHeaders).join(', '));
  response.setHeader('Access-Control-Max-Age', '600');
}
