import { describe, expect, it } from 'vitest';
import { families } from '../../api/families.ts';
import { orderedRoutes } from '../../api/mount.ts';
import { byRouteOrder, expressPath, reservedWords } from '../../api/route-order.ts';
import { failures } from '../../workflows/failures.ts';
import { matches } from '../routes.ts';

const routes = orderedRoutes(families);

describe('routes', () => {
  it('answer their own path: no earlier route takes it', () => {
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

  it('are put literal before parameter, whatever their order was', () => {
    const sorted = ['/v2/{a}', '/v2/{a}/{b}', '/v2/link/{a}', '/v2/link/send/{a}', '/{rest*}'];
    expect([...sorted].sort(byRouteOrder)).toEqual(
      ['/v2/link/send/{a}', '/v2/link/{a}', '/v2/{a}', '/v2/{a}/{b}', '/{rest*}'].sort(
        byRouteOrder,
      ),
    );
    expect(byRouteOrder('/v2/link/{a}', '/v2/{a}/{b}')).toBeLessThan(0);
    expect(byRouteOrder('/v2/{a}/{b}', '/{rest*}')).toBeLessThan(0);
  });

  it('translate to the patterns of the router', () => {
    expect(expressPath('/v2/{app_id}/{link_uuid}')).toBe('/v2/:app_id/:link_uuid');
    expect(expressPath('/objects/{key*}')).toBe('/objects/*key');
  });

  it('reserve the first words below /v2', () => {
    const words = reservedWords(routes.map(({ contract }) => contract.path));
    for (const word of ['link', 'raw', 'preview', 'trust-checks', 'events', 'accounts']) {
      expect(words).toContain(word);
    }
  });

  it('without a policy stop the start', () => {
    const open = { ...routes[0]?.contract, id: 'x.y', auth: [] };
    const family = { name: 'x', routes: [{ contract: open, handle: async () => ({}) }] };
    expect(() => orderedRoutes([family as never])).toThrow('no auth policy');
  });

  it('that create by PUT or POST and answer a new thing honour Idempotency-Key', () => {
    const creating = routes.filter(
      ({ contract }) => 201 in contract.replies || /^links\.(create|send)/.test(contract.id),
    );
    expect(creating.length).toBeGreaterThan(12);
    for (const { contract } of creating) expect(contract.idempotent, contract.id).toBe(true);
  });
});

describe('failure codes', () => {
  it('have a status of a client or server error and a title', () => {
    for (const [code, { status, title }] of Object.entries(failures)) {
      expect(code).toMatch(/^[a-z_]+$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(title.length).toBeGreaterThan(5);
    }
  });
});
