import type { AuthKind } from '../../../api/http/auth/access-rules.ts';
import { readsCredential } from '../../../api/http/auth/authenticate.ts';
import { call, type Answer } from '../../support/http/client.ts';
import type { Credentials } from './credentials.ts';
import { limitOf } from './limits.ts';
import { isWalled, wallOf } from './modes.ts';
import { policy } from './policy.ts';
import { badPrincipals, goodPrincipals, type Principal, type PrincipalName } from './principals.ts';
import { requests, type Ask, type Scene } from './requests.ts';
import { refusalOf, unbelieved, type Outcome, type Where } from './rules.ts';
import type { Stage, Things } from './things.ts';
import { unknownThings } from './unknown-things.ts';

/** A route of the matrix. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly auth: readonly AuthKind[];
}

export interface Cell {
  readonly route: Route;
  readonly principal: Principal;
  readonly where: Where;
  readonly expected: Outcome;
}

/** What the cells are tested on. */
export interface Ground {
  readonly own: Stage;
  readonly foreign: Stage;
  /** A link created by the MEMBER. */
  readonly madeLink: string;
  readonly credentials: Credentials;
  readonly common: Pick<Scene, 'db' | 'enrollment'>;
}

export const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;

/** Number of other bad credentials tried on one route. The routes take turns over all of them. */
const badOfRoute = 6;
/** Link tokens are sent in URLs by email, so no route may accept them as a credential. */
const linkTokens = badPrincipals.filter(({ name }) => name === 'link token');
const others = badPrincipals.filter(({ name }) => name !== 'link token');

/**
 * Returns every cell of a route. A principal refused for its credential alone is tested on one
 * object, since nothing is looked up. A principal that differs only within its own account is
 * tested only there.
 */
export function cellsOf(route: Route, place: number): Cell[] {
  const rule = policy[nameOf(route)];
  if (!rule) throw new Error(`no policy for ${nameOf(route)}: write one in rows/`);
  const turned = [...others, ...others].slice((badOfRoute * place) % others.length);
  const bad = [...linkTokens, ...turned.slice(0, badOfRoute)];
  return [...goodPrincipals, ...bad].flatMap((principal: Principal) => {
    const isInTest = principal.isInBothModes && isWalled(nameOf(route));
    const cells = [...rule.on, ...(isInTest ? (['test'] as const) : [])].map((where): Cell => {
      const usual = rule.expect(principal, where === 'test' ? 'own' : where);
      if (rule.isBlind || !readsCredential(route.auth)) {
        return { route, principal, where, expected: usual };
      }
      const walled = wallOf(nameOf(route), principal, where, usual);
      const told = refusalOf(principal) ?? limitOf(nameOf(route), principal, where, walled);
      const isMissing = principal.is === 'anonymous' && told === unbelieved;
      const expected: Outcome = isMissing ? [401, 'credential_missing'] : told;
      return { route, principal, where, expected };
    });
    const isNobody = cells.every(({ expected: [, code] }) => code?.startsWith('credential_'));
    if (isNobody) return cells.slice(0, 1);
    const isFar = ({ where }: Cell): boolean => where === 'foreign' || where === 'unknown';
    return principal.isLocal ? cells.filter((cell) => !isFar(cell)) : cells;
  });
}

/** Sends the request of a cell with its principal's credential. */
export async function ask(ground: Ground, cell: Cell): Promise<Answer> {
  const { route, principal, where, expected } = cell;
  const { outer, inner, stage } = placeOf(ground, where);
  const scene = { ...ground.common, principal, where, isDone: expected[0] < 400, stage };
  const more: Ask = (await requests[nameOf(route)]?.(inner, scene)) ?? {};
  const path = filled(route.path, outer, inner, more.path ?? {});
  const credential = ground.credentials[principal.name as PrincipalName];
  return call(route.method.toUpperCase(), more.query ? `${path}?${more.query}` : path, {
    headers: { ...credential, ...more.headers },
    ...(more.body === undefined ? {} : { body: more.body }),
    ...(more.raw ? { raw: more.raw } : {}),
  });
}

/** Returns the objects for the first name in a path and for the other names, and their account. */
function placeOf(
  { own, foreign, madeLink }: Ground,
  where: Where,
): { readonly outer: Things; readonly inner: Things; readonly stage: Stage } {
  const made = { ...own.things, link_uuid: madeLink };
  switch (where) {
    case 'own':
      return { outer: own.things, inner: own.things, stage: own };
    case 'foreign':
      return { outer: foreign.things, inner: foreign.things, stage: foreign };
    case 'unknown':
      return { outer: unknownThings, inner: unknownThings, stage: own };
    case 'crossed':
      return { outer: own.things, inner: foreign.things, stage: foreign };
    case 'missing':
      return { outer: own.things, inner: unknownThings, stage: own };
    case 'test':
      return { outer: own.testThings, inner: own.testThings, stage: own };
    case 'made':
      return { outer: made, inner: made, stage: own };
  }
}

/** Fills the names of objects into a path template. */
export function filled(
  template: string,
  outer: Things,
  inner: Things,
  given: Readonly<Record<string, string>>,
): string {
  let isFirst = true;
  return template.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => {
    const fixed = given[name];
    if (fixed !== undefined && !Object.hasOwn(inner, name)) return fixed;
    const things: Readonly<Record<string, unknown>> = { ...(isFirst ? outer : inner) };
    isFirst = false;
    const value = fixed ?? things[name];
    if (typeof value !== 'string') throw new Error(`nothing is called ${name}`);
    return encodeURIComponent(value);
  });
}

/** Runs `work` for each element, with `atOnce` running concurrently. */
export async function eachOf<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of left) await work(one);
    }),
  );
}
