import express, { type Express, type IRouter } from 'express';

/**
 * Gives the router on which a path is mounted: one for each first segment (behind `/v2`), and one
 * that comes last for the paths whose first segment is a parameter. Express tries the paths of a
 * router one by one, and the page of a link, at `/v2/{link_uuid}`, would be the last of all.
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
