import { describe, expect, it } from 'vitest';
import { call, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { api_key: token, app_id: app } = ownPlatform().own;
const given = {
  title: 'as it is',
  required_proofs: ['phone'],
  matching_params: { full_name: 'Erika Mustermann', custom: { a: '1', b: '2' } },
  expires_at: '2031-01-01T00:00:00Z',
  metadata: { second: 'b', a: '1' },
  policy: { min_level: 'substantial', web_allowed: true },
} as const;
const patch = (uuid: string, body: unknown) => call('PATCH', `/v2/${uuid}`, { token, body });
const updates = async (uuid: string): Promise<number> => {
  const { body } = await call('GET', `/v2/events?stream=link:${uuid}`, { token });
  const types = (body['items'] as { type: string }[]).map(({ type }) => type);
  return types.filter((type) => type === 'link.updated').length;
};

describe('a change of a link', () => {
  it('to the same values creates no version and no event', async () => {
    const made = await call('PUT', `/v2/link/${app}`, { token, body: given });
    const uuid = String(made.body['link_uuid']);
    const etag = made.headers.get('etag');
    const turned = {
      metadata: { a: '1', second: 'b' },
      matching_params: { custom: { b: '2', a: '1' }, full_name: 'Erika Mustermann' },
    };
    for (const body of [{}, given, turned, { paused: false }, { not_before: null }]) {
      const answer = await patch(uuid, body);
      expect([answer.status, answer.headers.get('etag'), answer.body]).toEqual([
        200,
        etag,
        made.body,
      ]);
    }
    expect(await updates(uuid)).toBe(0);
    const bare = await newLink();
    expect((await patch(bare, { metadata: {} })).headers.get('etag')).toBe('"1"');
    // If-Match is still compared.
    const headers = { 'if-match': '"7"' };
    const stale = await call('PATCH', `/v2/${uuid}`, { token, body: {}, headers });
    expect([stale.status, stale.body['code']]).toEqual([412, 'precondition_failed']);
  });

  it.each([
    { title: 'another' },
    { title: null },
    { required_proofs: ['device'] },
    { matching_params: { full_name: 'Erika Musterfrau' } },
    { matching_params: null },
    { expires_at: '2031-01-01T00:00:01Z' },
    { metadata: { a: '1' } },
    { policy: { min_level: 'substantial' } },
    { paused: true },
  ])('to %j creates a version and an event', async (body) => {
    const uuid = await newLink(given);
    const first = await patch(uuid, body);
    expect([first.status, first.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await patch(uuid, body)).headers.get('etag')).toBe('"2"');
    expect(await updates(uuid)).toBe(1);
  });
});
