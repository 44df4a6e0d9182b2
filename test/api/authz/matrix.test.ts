import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { ask, cellsOf, eachOf, nameOf, type Cell, type Ground } from './cells.ts';
import { essence } from './essence.ts';
import { newGround } from './ground.ts';
import { keyModes } from './modes.ts';
import { policy } from './policy.ts';
import { principals } from './principals.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const cellsMin = 2_500;
const atOnce = 12;
/** The number of concurrent evidence exports per account is limited. */
const oneByOne: readonly string[] = ['GET /v2/trust-checks/{id}/evidence'];
let ground: Ground;

beforeAll(async () => {
  ground = await newGround(db);
});
afterAll(() => db.end());

const told = ({ status, body }: Answer): string => {
  const { code, detail } = body as { code?: string; detail?: unknown };
  const [fault] = Array.isArray(detail) ? (detail as { type: string }[]) : [];
  return [status, code ?? fault?.type].filter(Boolean).join(' ');
};

/** Returns the identifiers in an answer that its caller must not see. */
function leakOf({ principal }: Cell, { status, text }: Answer, isPublic: boolean): string[] {
  const { of, role, isTest, apps } = principal;
  if (role === 'POLYADMIN' || isPublic) return [];
  const { own, foreign } = ground;
  const { link_uuid, id, endpoint_id, event_id, meeting_id } = own.things;
  const isWalledOff = isTest || apps === 'other';
  const live =
    isWalledOff && status < 400 ? [link_uuid, id, endpoint_id, event_id, meeting_id] : [];
  const others = of === 'own' ? [foreign] : of === 'foreign' ? [own] : [];
  const marks = [...others.map(({ seed }) => seed.app_id), ...live];
  return marks.filter((mark) => text.includes(mark));
}

describe('the authorization matrix', () => {
  it('has exactly one rule for every route', () => {
    const [ruled, served] = [Object.keys(policy), contracts.map(nameOf)];
    const way = 'one rule each in test/api/authz/policy.ts';
    expect(
      served.filter((name) => !ruled.includes(name)),
      way,
    ).toEqual([]);
    expect(
      ruled.filter((name) => !served.includes(name)),
      way,
    ).toEqual([]);
  });

  it('has a key mode for exactly the routes that admit API keys', () => {
    const admitting = contracts.filter(({ auth }) => auth.includes('key')).map(nameOf);
    expect(Object.keys(keyModes).toSorted()).toEqual(admitting.toSorted());
  });

  it(`has at least ${cellsMin} cells, including some of each principal`, () => {
    const cells = contracts.flatMap((contract, place) => cellsOf(contract, place));
    process.stderr.write(`${cells.length} cells of ${contracts.length} routes\n`);
    expect(cells.length).toBeGreaterThanOrEqual(cellsMin);
    const routesOf = new Map(principals.map(({ name }) => [name, new Set<string>()]));
    for (const { principal, route } of cells) routesOf.get(principal.name)?.add(nameOf(route));
    const fewest = (isBad: boolean): number =>
      Math.min(
        ...principals
          .filter(({ is }) => (is === 'bad' || is === 'ambiguous') === isBad)
          .map(({ name }) => routesOf.get(name)?.size ?? 0),
      );
    // Good principals and link tokens are tested on every route, bad credentials on a third of
    // them.
    expect([fewest(false), routesOf.get('link token')?.size]).toEqual([
      contracts.length,
      contracts.length,
    ]);
    expect(fewest(true)).toBeGreaterThan(contracts.length / 3);
  });
});

describe.each(contracts.map((contract, place) => ({ name: nameOf(contract), contract, place })))(
  '$name',
  ({ contract, place }) => {
    it('answers each caller as the policy says, and hides what exists from strangers', async () => {
      const isPublic = contract.auth.includes('public');
      const wrong: string[] = [];
      const seen = new Map<string, Answer>();
      const inFlight = oneByOne.includes(nameOf(contract)) ? 1 : atOnce;
      await eachOf(cellsOf(contract, place), inFlight, async (cell) => {
        const { principal, where, expected } = cell;
        const as = `${principal.name} on ${where}`;
        const answer = await ask(ground, cell);
        seen.set(as, answer);
        const wanted = expected.join(' ');
        if (told(answer) !== wanted) wrong.push(`${as}: ${told(answer)} in place of ${wanted}`);
        for (const mark of leakOf(cell, answer, isPublic)) wrong.push(`${as}: tells of ${mark}`);
      });
      for (const [hidden, none] of [
        ['foreign', 'unknown'],
        ['crossed', 'missing'],
        ['own', 'unknown'],
        ['own', 'missing'],
      ] as const) {
        for (const { name, isTest, apps } of principals) {
          // To a key, objects out of its reach look like objects that do not exist.
          if (hidden === 'own' && !isTest && apps !== 'other') continue;
          const [a, b] = [seen.get(`${name} on ${hidden}`), seen.get(`${name} on ${none}`)];
          // Callers who may know the object get another status, which is no leak.
          if (!a || !b || a.status !== b.status || a.status < 400) continue;
          if (told(a) === told(b) && essence(a) !== essence(b))
            wrong.push(`${name}: ${hidden} is not as ${none}`);
        }
      }
      expect(wrong.toSorted()).toEqual([]);
    });
  },
);
