import express, { type Express, type IRouter } from 'express';

/**
 * Returns the router for a path. There is one router for each first segment (after `/v2`), and a
 * last one for paths that begin with a parameter. Express matches the paths of a router one by one.
 * In a single router the page of a link (`/v2/{link_uuid}`) would be matched after all others.
 */
export function routersByFirstSegment(app: Express): (path: string) => IRouter {
  const create = (): IRouter => express.Router({ caseSensitive: true });
  const last = create();
  const routers = new Map<string, IRouter>();
  app.use((request, response, next) => {
    const router = routers.get(firstSegmentOf(request.path));
    if (router) router(request, response, next);
    else next();
  });
  app.use(last);
  return (path) => {
    const segment = firstSegmentOf(path);
    if (segment.includes('{')) return last;
    const router = routers.get(segment) ?? create();
    routers.set(segment, router);
    return router;
  };
}

const firstSegmentOf = (path: string): string => /^\/(?:v2\/)?[^/]*/.exec(path)?.[0] ?? '';
