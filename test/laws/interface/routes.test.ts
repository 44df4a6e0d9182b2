import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reservedWords } from '../../../api/apps/reserved-words.ts';
import { families } from '../../../api/families.ts';
import { keyScopeOf } from '../../../api/http/auth/scopes.ts';
import { orderedRoutes } from '../../../api/http/mount.ts';
import { failureAnswers } from '../../../api/http/problem/failure-answers.ts';
import { byRouteOrder, expressPath } from '../../../api/http/routes/route-order.ts';
import { scopes } from '../../../domain/scopes.ts';
import { matches } from '../../support/http/routes.ts';

const routes = orderedRoutes(families);

const changes = 'it changes one thing, and again finds it changed: the same, or a 409';
const readsOnly = 'it reads and keeps nothing';
const takes = 'what it takes is good once; the answer is not kept, since it is a credential';
const delivered = 'its sender tells deliveries apart by ids of its own, which an inbox keeps once';
const mails = 'a mail asked for twice is one that counts; the answer belongs to the browser';

/** Each PUT and POST without Idempotency-Key, and why it needs none. */
const keyless: Readonly<Record<string, string>> = {
  'accounts.accept': changes,
  'accounts.decline': changes,
  'codec.decode': readsOnly,
  'codec.encode': readsOnly,
  'keys.ocsp': readsOnly,
  'email.requestLink': mails,
  'email.requestLogin': mails,
  'email.verifyLink': takes,
  'email.verifyLogin': takes,
  'logs.continuity': readsOnly,
  'logs.meeting': readsOnly,
  'mail.events': delivered,
  'meetings.botHook': delivered,
  'meetings.eventHook': delivered,
  'meetings.loaded': readsOnly,
  'meetings.redirect': takes,
  'recoveries.approve': changes,
  'recoveries.cancel': changes,
  'recoveries.deny': changes,
  'session.exchangeInvite': takes,
  'session.portalLogin': takes,
  'session.signOut': changes,
  'session.stepUp': takes,
  'session.switchAccount': 'it keeps nothing: another token of the same session, to the same end',
  'session.token': takes,
  'sms.events': 'its sender repeats them; what says no more than is known changes nothing',
  'timestamps.stamp': 'each time stamp is another one, of its own time',
  'trust-checks.redact': changes,
  'trust-checks.revoke': changes,
  'trust-checks.upload': 'a PUT of bytes under their name: again it is the same file',
};

/** Operations that require a recent proof of a certified device from a session. */
const guarded = [
  'accounts.leave',
  'accounts.update',
  'api-keys.create',
  'api-keys.revoke',
  'api-keys.rotate',
  'apps.archive',
  'apps.create',
  'apps.update',
  'devices.revoke',
  'email.requestLink',
  'email.revoke',
  'members.invite',
  'members.remove',
  'members.update',
  'recoveries.approve',
  'recoveries.cancel',
  'recoveries.deny',
  'recoveries.open',
  'sso-providers.put',
  'sso-providers.remove',
  'trust-checks.evidence',
  'trust-checks.redact',
  'trust-checks.revoke',
  'webhook-endpoints.create',
  'webhook-endpoints.remove',
  'webhook-endpoints.rotateSecret',
  'webhook-endpoints.update',
];
/** Families with every changing operation in that list. */
const guardedFamilies = ['api-keys', 'apps', 'members', 'recoveries', 'sso-providers'];

describe('routes', () => {
  it('require a recent proof of a device where a mailbox alone is not enough', () => {
    const declared = routes.filter(({ contract: { assurance } }) => assurance === 'cert');
    expect(declared.map(({ contract: { id } }) => id).toSorted()).toEqual(guarded);
    const dangerous = routes.filter(
      ({ contract: { id, method } }) =>
        method !== 'get' && guardedFamilies.includes(id.split('.')[0] ?? ''),
    );
    const unguarded = dangerous.filter(({ contract: { id } }) => !guarded.includes(id));
    expect(unguarded.map(({ contract: { id } }) => id)).toEqual([]);
  });

  it('are not shadowed by an earlier route', () => {
    for (const { contract } of routes) {
      const path = contract.path.replaceAll(/\{[^}]+\}/g, 'x-y-z');
      const first = routes.find(
        ({ contract: other }) => other.method === contract.method && matches(other.path, path),
      );
      expect(first?.contract.id).toBe(contract.id);
    }
  });

  it('have unique ids and unique method and path', () => {
    const ids = routes.map(({ contract }) => contract.id);
    const places = routes.map(({ contract }) => `${contract.method} ${contract.path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  it('are named after their family', () => {
    const strays = families.flatMap(({ name, routes: own }) =>
      own.map(({ contract }) => contract.id).filter((id) => !id.startsWith(`${name}.`)),
    );
    expect(strays).toEqual([]);
  });

  it('are ordered with literal segments before parameters', () => {
    const sorted = ['/v2/{a}', '/v2/{a}/{b}', '/v2/link/{a}', '/v2/link/send/{a}', '/{rest*}'];
    expect([...sorted].sort(byRouteOrder)).toEqual(
      ['/v2/link/send/{a}', '/v2/link/{a}', '/v2/{a}', '/v2/{a}/{b}', '/{rest*}'].sort(
        byRouteOrder,
      ),
    );
    expect(byRouteOrder('/v2/link/{a}', '/v2/{a}/{b}')).toBeLessThan(0);
    expect(byRouteOrder('/v2/{a}/{b}', '/{rest*}')).toBeLessThan(0);
  });

  it('are translated to the patterns of the router', () => {
    expect(expressPath('/v2/{app_id}/{link_uuid}')).toBe('/v2/:app_id/:link_uuid');
    expect(expressPath('/objects/{key*}')).toBe('/objects/*key');
  });

  it('reserve the first words below /v2, including those of planned routes', () => {
    const rows = JSON.parse(
      readFileSync(new URL('interface-rows.json', import.meta.url), 'utf8'),
    ) as { routes: string[] }[];
    const designed = rows.flatMap((row) => row.routes.map((route) => route.split(' ')[1] ?? ''));
    const words = [...designed, ...routes.map(({ contract }) => contract.path)].flatMap((path) => {
      const [, version, word = ''] = path.split('/');
      return version === 'v2' && !word.startsWith('{') ? [word] : [];
    });
    expect(words.length).toBeGreaterThan(100);
    const free = [...new Set(words)].filter((word) => !reservedWords.has(word));
    expect(free, 'reserve each in api/apps/reserved-words.ts').toEqual([]);
  });

  it('stop the start when they have no policy', () => {
    const open = { ...routes[0]?.contract, id: 'x.y', auth: [] };
    const family = { name: 'x', routes: [{ contract: open, handle: async () => ({}) }] };
    expect(() => orderedRoutes([family as never])).toThrow('no auth policy');
  });

  it('stop the start when they admit keys without a listed scope, and use every scope', () => {
    const unlisted = { ...routes[0]?.contract, id: 'x.y', auth: ['key'], keyMode: 'either' };
    const family = { name: 'x', routes: [{ contract: unlisted, handle: async () => ({}) }] };
    expect(() => orderedRoutes([family as never])).toThrow('the scope x:');
    const used = routes.flatMap(({ contract }) => keyScopeOf(contract) ?? []);
    expect([...new Set(used)].sort()).toEqual([...scopes].sort());
  });

  it('with PUT or POST honor Idempotency-Key, or are listed with a reason', () => {
    const writing = routes.filter(({ contract }) => ['put', 'post'].includes(contract.method));
    expect(writing.length).toBeGreaterThan(50);
    const without = writing.filter(({ contract }) => !contract.idempotent);
    expect(without.map(({ contract }) => contract.id).sort()).toEqual(Object.keys(keyless).sort());
    for (const { contract } of without)
      expect(contract.replies, contract.id).not.toHaveProperty('201');
  });
});

describe('failure codes', () => {
  it('have a status of a client or server error and a title', () => {
    for (const [code, { status, title }] of Object.entries(failureAnswers)) {
      expect(code).toMatch(/^[a-z_]+$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(title.length).toBeGreaterThan(5);
    }
  });
});
