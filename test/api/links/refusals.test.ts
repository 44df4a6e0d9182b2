import { describe, expect, it } from 'vitest';
import { beginSession, call, newLink, type Answer } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const { app_id: app, api_key: token } = own;
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const nobody = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

const aliases: [string, (uuid: string) => string][] = [
  ['/v2/link/{app_id}/{link_uuid}', (uuid) => `/v2/link/${app}/${uuid}`],
  ['/v2/{app_id}/{link_uuid}', (uuid) => `/v2/${app}/${uuid}`],
  ['/v2/{link_uuid}', (uuid) => `/v2/${uuid}`],
];

describe.each(aliases)('%s', (_alias, place) => {
  it('compares If-Match with the version for changes and deletions', async () => {
    const uuid = await newLink();
    const headers = { 'if-match': '"7"' };
    const options = { token, headers };
    const changed = await call('PATCH', place(uuid), { ...options, body: { title: 'x' } });
    const removed = await call('DELETE', place(uuid), options);
    expect(outcome(changed)).toEqual([412, 'precondition_failed']);
    expect(outcome(removed)).toEqual([412, 'precondition_failed']);
    const kept = await call('GET', `/v2/raw/${uuid}`, { token });
    expect(kept.body).toMatchObject({ status: 'active', title: null });
  });

  it('refuses to change a consumed link', async () => {
    const uuid = await newLink({ single_use: true });
    const session = await beginSession(uuid);
    await session.step('open');
    await session.step('pair');
    await session.step('consent', { accepted: false, tos_version: '1' });
    const changed = await call('PATCH', place(uuid), { token, body: { title: 'late' } });
    expect(outcome(changed)).toEqual([409, 'invalid_state']);
  });

  it('returns 404 for an unknown link', async () => {
    const changed = await call('PATCH', place(nobody), { token, body: { title: 'x' } });
    const removed = await call('DELETE', place(nobody), { token });
    expect([outcome(changed), outcome(removed)]).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
  });
});

describe('a link preview', () => {
  it('returns 404 in every format for an unknown link', async () => {
    for (const format of ['A', 'J', 'S', 'H']) {
      const shown = await call('GET', `/v2/preview/${format}/${app}/${nobody}`);
      expect(outcome(shown)).toEqual([404, 'not_found']);
    }
  });
});

describe('a reserved link', () => {
  it('cannot be paused while a session leases it', async () => {
    const uuid = await newLink({ single_use: true });
    await beginSession(uuid);
    const paused = await call('PATCH', `/v2/${uuid}`, { token, body: { paused: true } });
    expect(outcome(paused)).toEqual([409, 'invalid_state']);
  });
});
