import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type Answer } from '../../../support/http/client.ts';
import { contracts } from '../../../support/http/routes.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { eachOf, filled, nameOf, type Ground } from '../cells.ts';
import { essence } from '../essence.ts';
import { newGround } from '../ground.ts';
import { goodPrincipals, type Principal, type PrincipalName } from '../principals.ts';
import { requests } from '../requests.ts';
import type { Things } from '../things.ts';
import { unknownThings } from '../unknown-things.ts';
import { idMembersOf, otherMembers, referentOf, referents, type IdMember } from './id-members.ts';
import { boundToLink, inert, openByName } from './open-members.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const atOnce = 12;
const callers: readonly PrincipalName[] = [
  'anonymous',
  'subject',
  'MEMBER',
  'ADMIN',
  'foreign ADMIN',
  'key ADMIN',
  'key of test mode',
  'key of the app',
  'key of another app',
  'foreign key ADMIN',
  'join token',
  'foreign join token',
];
const named = contracts.flatMap(idMembersOf);
const members = named.filter((member) => referentOf(member));
const labelOf = ({ contract, place, name }: IdMember): string =>
  `${nameOf(contract)} ${place} ${name}`;
let ground: Ground;

beforeAll(async () => {
  ground = await newGround(db);
});
afterAll(() => db.end());

/** Returns the objects that a caller may name, or null. */
function reachOf({ of, isTest, apps }: Principal): Things | null {
  if (of === 'foreign') return ground.foreign.things;
  if (of !== 'own' || apps === 'other') return null;
  return isTest ? ground.own.testThings : ground.own.things;
}

/** Returns existing objects that a caller may not name. */
function hiddenFrom({ of, isTest, apps }: Principal): readonly (readonly [string, Things])[] {
  const { own, foreign } = ground;
  if (of === 'foreign') return [['other account', own.things]];
  const far = [['other account', foreign.things]] as const;
  if (of !== 'own') return [...far, ['other account in test mode', own.testThings]];
  const isWalled = isTest || apps === 'other';
  return isWalled ? [...far, [isTest ? 'other mode' : 'other app', own.things]] : far;
}

function withMember(member: IdMember, value: string | number, query = '', body?: unknown) {
  const { place, name, isList } = member;
  if (place === 'query') {
    const all = new URLSearchParams(query);
    all.set(name, String(value));
    return { query: all.toString(), body };
  }
  return { query, body: { ...Object(body), [name]: isList ? [value] : value } };
}

async function askWith(
  member: IdMember,
  principal: Principal,
  value: string | number,
): Promise<Answer> {
  const { contract } = member;
  const base = reachOf(principal) ?? ground.own.things;
  const stage = principal.of === 'foreign' ? ground.foreign : ground.own;
  const scene = { ...ground.common, principal, where: 'own', isDone: true, stage } as const;
  const made = (await requests[nameOf(contract)]?.(base, scene)) ?? {};
  const { query, body } = withMember(member, value, made.query, made.body);
  const ofMeeting = { ...made.path, link_uuid: base.meetingLink };
  const fixed = member.name === 'join_session_id' ? ofMeeting : (made.path ?? {});
  const path = filled(contract.path, base, base, fixed);
  const credential = ground.credentials[principal.name as PrincipalName];
  return call(contract.method.toUpperCase(), query ? `${path}?${query}` : path, {
    headers: { ...credential, ...made.headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** Returns whether the value is allowed, because an account has both modes and all its apps. */
function isReachable(member: IdMember, { of }: Principal, things: Things): boolean {
  const { own } = ground;
  if (boundToLink.includes(labelOf(member)) && things === own.things) return of !== 'foreign';
  return member.name === 'account_id' && of !== 'foreign' && things !== ground.foreign.things;
}

/** Returns an answer with the sent value replaced and without its length. */
function plain(answer: Answer, value: string | number): string {
  const headers = new Headers(answer.headers);
  for (const name of ['content-length', 'etag', 'set-cookie']) headers.delete(name);
  const text = answer.text.replaceAll(new RegExp(`\\b${value}\\b`, 'g'), 'VALUE');
  return essence({ ...answer, headers, text });
}

/** Returns rows of an account that no caller of this file may change. */
async function rowsOfOthers(): Promise<Readonly<Record<string, string>>> {
  const tables = ['apps', 'links', 'trust_checks', 'webhook_endpoints', 'memberships', 'meetings'];
  const { seed } = ground.foreign;
  const rows = await Promise.all(
    tables.map(async (table) => {
      const { rows: found } = await db.query<{ all: string | null }>(
        `SELECT string_agg(t::text, E'\n' ORDER BY t::text) AS all FROM ${table} t
         WHERE account_id = $1`,
        [seed.account_id],
      );
      return [table, found[0]?.all ?? ''] as const;
    }),
  );
  return Object.fromEntries(rows);
}

describe('id-bearing members of requests', () => {
  it('have an object of the matrix or a reason', () => {
    const names = new Set(named.map(({ name }) => name));
    const known = [...Object.keys(referents), ...Object.keys(otherMembers)];
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => !names.has(name))).toEqual([]);
  });

  it('exist for each listed exception', () => {
    const labels = members.map(labelOf);
    const listed = [...Object.keys(openByName), ...boundToLink, ...Object.keys(inert)];
    expect(listed.filter((label) => !labels.includes(label))).toEqual([]);
  });
});

describe('an object that the caller may not name', () => {
  it.each(members.map((member) => [labelOf(member), member] as const))(
    'gets the same answer as an unknown one: %s',
    async (label, member) => {
      const refer = referentOf(member);
      if (!refer) throw new Error(`no referent for ${label}`);
      const wrong: string[] = [];
      let isRead = false;
      const before = await rowsOfOthers();
      const principals = goodPrincipals.filter(({ name }) => callers.includes(name));
      await eachOf<Principal>(principals, atOnce, async (principal) => {
        const none = refer(unknownThings);
        const unknown = await askWith(member, principal, none);
        const reach = reachOf(principal);
        if (reach && principal.of === 'own') {
          const reached = await askWith(member, principal, refer(reach));
          isRead ||= plain(reached, refer(reach)) !== plain(unknown, none);
        }
        for (const [where, things] of hiddenFrom(principal)) {
          const value = refer(things);
          if (isReachable(member, principal, things)) continue;
          const answer = await askWith(member, principal, value);
          if (plain(answer, value) === plain(unknown, none)) continue;
          wrong.push(`${principal.name}, ${where}: ${answer.status} ${answer.text.slice(0, 160)}`);
          wrong.push(`  unknown: ${unknown.status} ${unknown.text.slice(0, 160)}`);
        }
      });
      if (!(label in openByName)) expect(wrong.toSorted()).toEqual([]);
      expect(isRead).toBe(!(label in inert));
      if (!(label in openByName)) expect(await rowsOfOthers()).toEqual(before);
    },
  );
});
