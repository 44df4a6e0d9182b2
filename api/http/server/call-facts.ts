import type { Request, Response } from 'express';
import type { Deps } from '../../deps.ts';
import type { CallFacts } from '../contract.ts';

/**
 * Returns the facts of a call and sets `Request-Id`: the caller's id if well formed, else a new
 * one.
 */
export function factsOf(deps: Deps, request: Request, response: Response): CallFacts {
  const offered = request.get('request-id');
  const requestId =
    offered && /^[A-Za-z0-9_-]{8,64}$/.test(offered) ? offered : `req_${deps.ids.uuid()}`;
  response.setHeader('Request-Id', requestId);
  return {
    requestId,
    address: request.ip ?? 'unknown',
    method: request.method,
    originalUrl: request.originalUrl,
    header: (name) => request.get(name),
    now: deps.clock(),
  };
}
