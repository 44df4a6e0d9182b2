import type { IRouter, NextFunction, Request, Response } from 'express';
import { Failure } from '../../../workflows/failures.ts';
import type { Contract } from '../contract.ts';
import { expressPath } from './route-order.ts';

/** Link routes that begin with a parameter. They match any path of their length. */
const catchAllForm = /^\/v2\/\{.*\{?link_uuid\}$/;
const endsInUuid = /\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/?$/i;

/**
 * Whether a path that matches a route's template belongs to the route. A link route that begins
 * with a parameter takes UUIDs only, so that `/v2/apps` is not a link.
 */
export const isPathOf = ({ path: template }: Contract, path: string): boolean =>
  !catchAllForm.test(template) || endsInUuid.test(path);

/** Returns a path without the names of its parameters. */
export const shapeOf = ({ path }: Contract): string => path.replaceAll(/\{\w+/g, '{');

/** Groups routes, in their order, by paths that differ only in the names of parameters. */
export function groupByShape<T extends { readonly contract: Contract }>(
  routes: readonly T[],
): T[][] {
  return [...Map.groupBy(routes, ({ contract }) => shapeOf(contract)).values()];
}

/**
 * Answers the methods that the routes of one shape do not have: 405 with `Allow` (RFC 9110
 * §15.5.6), and OPTIONS with `Allow`. It is mounted after these routes and before less specific
 * ones, which would match the path too.
 */
export function refuseOtherMethods(router: IRouter, contracts: readonly Contract[]): void {
  const [first] = contracts;
  if (!first) return;
  const methods = new Set(contracts.flatMap(methodsOf));
  const allow = [...methods, 'OPTIONS'].toSorted().join(', ');
  router.all(
    expressPath(first.path),
    (request: Request, response: Response, next: NextFunction) => {
      if (!contracts.every((contract) => isPathOf(contract, request.path))) return next();
      response.setHeader('Allow', allow);
      if (request.method === 'OPTIONS') response.status(204).end();
      else next(new Failure('method_not_allowed', { detail: `The path takes ${allow}.` }));
    },
  );
}

const methodsOf = ({ method }: Contract): string[] =>
  method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
