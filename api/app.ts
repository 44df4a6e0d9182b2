import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { apiVersion } from '../workflows/events.ts';
import { Failure } from '../workflows/failures.ts';
import type { Deps } from './deps.ts';
import { families } from './families.ts';
import { mount } from './http/mount.ts';
import { sendProblem } from './http/problem/problem.ts';
import { versionHeader } from './http/server/version.ts';

/** Creates the HTTP application: headers, families, unknown paths, failures. */
export function createApp(deps: Deps, trustedProxies: readonly string[] = []): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // A proxy's rule for /v2/ would not match /V2/.
  app.enable('case sensitive routing');
  app.set('trust proxy', trustedProxies.length > 0 ? [...trustedProxies] : false);
  app.use(securityHeaders());
  mount(app, families, deps);
  app.use((_request: Request, response: Response) => {
    refuse(deps, response, nowhere());
  });
  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    // Express reports a path that it cannot decode with status 400. No operation has such a path.
    const isUndecodable = error instanceof Error && 'status' in error && error.status === 400;
    const fault = isUndecodable ? nowhere() : error;
    if (!(fault instanceof Failure)) {
      deps.telemetry.log.error({ err: fault }, 'fault outside a route');
    }
    refuse(deps, response, fault);
  });
  return app;
}

const nowhere = (): Failure => new Failure('not_found', { detail: 'No operation has this path.' });

function refuse(deps: Deps, response: Response, error: unknown): void {
  const requestId = String(response.getHeader('Request-Id') ?? `req_${deps.ids.uuid()}`);
  response.setHeader('Request-Id', requestId);
  const { baseUrl } = deps.settings;
  sendProblem(response, error, { requestId, baseUrl });
}

/**
 * Returns middleware that sets the headers of every response: the API version, and helmet's
 * headers. They are computed once on a throwaway response, and each request only copies the list.
 */
function securityHeaders() {
  const headers: [string, string][] = [[versionHeader, apiVersion]];
  const collector = {
    setHeader: (name: string, value: string) => void headers.push([name, value]),
    removeHeader: () => undefined,
  };
  const decide = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'same-site' },
    referrerPolicy: { policy: 'no-referrer' },
  });
  decide({} as never, collector as never, () => undefined);
  return (_request: Request, response: Response, next: NextFunction): void => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
