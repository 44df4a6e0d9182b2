import { afterAll, describe, expect, it } from 'vitest';
import { leadingTo } from '../../../support/checks/leading-to.ts';
import { enrolledPhone, pairedSession, signedCall } from '../../../support/checks/phone.ts';
import { call, newLink } from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const { app_id: app, api_key: token } = own;
const origin = `https://led-${process.pid}.example`;
const ours = `${baseUrl}/success/by-app/${app}`;
const db = openTestDb(databaseUrl);
leadingTo(origin);
afterAll(() => db.end());

const creations: [string, string, string, object][] = [
  ['links.create', 'PUT', `/v2/link/${app}`, {}],
  ['links.createShort', 'PUT', `/v2/${app}`, {}],
  ['links.createInvite', 'PUT', `/v2/link/invite/${app}`, {}],
  ['links.createImport', 'PUT', `/v2/link/import/${app}`, {}],
  ['links.createByType', 'PUT', `/v2/link/type/call?app_id=${app}`, {}],
  ['links.send', 'POST', `/v2/link/send/${app}`, { send_to_email: 'recipient@example.test' }],
];
const changes: [string, (uuid: string) => string][] = [
  ['links.update', (uuid) => `/v2/link/${app}/${uuid}`],
  ['links.updateByApp', (uuid) => `/v2/${app}/${uuid}`],
  ['links.updateById', (uuid) => `/v2/${uuid}`],
];
const others = [
  'https://evil.example/',
  `${origin}.evil.example/`,
  `${origin}:8443/`,
  `https://sub.${origin.slice('https://'.length)}/`,
  `https://evil.example/${origin}`,
];
const refused = (fault: unknown) => [
  422,
  [expect.objectContaining({ loc: ['body', 'redirect_url'], type: fault })],
];

describe('redirect_url of a link', () => {
  it.each(creations)('must have an origin of the app for %s', async (_id, method, path, more) => {
    const make = async (redirect_url: string) => {
      const { status, body } = await call(method, path, { token, body: { ...more, redirect_url } });
      return [status, body['detail']];
    };
    for (const other of others) {
      expect([other, ...(await make(other))]).toEqual([other, ...refused('forbidden_target')]);
    }
    expect(await make(`${origin}/done?order=7`)).toEqual([200, undefined]);
    expect(await make(ours)).toEqual([200, undefined]);
  });

  it.each(changes)('must have an origin of the app for %s', async (_id, place) => {
    const path = place(await newLink());
    const change = async (redirect_url: string | null) => {
      const { status, body } = await call('PATCH', path, { token, body: { redirect_url } });
      return [status, body['detail']];
    };
    for (const other of others) {
      expect([other, ...(await change(other))]).toEqual([other, ...refused('forbidden_target')]);
    }
    for (const good of [`${origin}/done`, ours, null]) {
      expect(await change(good)).toEqual([200, undefined]);
    }
  });

  it('is not used after its origin was removed from the app', async () => {
    const device = await enrolledPhone();
    const uuid = await newLink({ required_proofs: ['device'], redirect_url: `${origin}/done` });
    const { id: link_session_id } = await pairedSession(device, uuid);
    const led = async () => {
      const body = { link_session_id };
      return (await signedCall(device, 'POST', `/v2/${uuid}`, { body })).body['redirect_url'];
    };
    const allow = (verb: 'append' | 'remove') =>
      db.query(
        `UPDATE apps SET allowed_origins = array_${verb}(allowed_origins, $2) WHERE app_id = $1`,
        [app, origin],
      );
    expect(await led()).toBe(`${origin}/done`);
    await allow('remove');
    const return_to = `${origin}/back`;
    const begun = await call('POST', '/v2/trust-checks', {
      body: { link_uuid: uuid, client: 'web', return_to },
    });
    const [there, told] = [await led(), [begun.status, begun.body['detail']]];
    await allow('append');
    expect(there).toBe(ours);
    const fault = { loc: ['body', 'return_to'], type: 'forbidden_target' };
    expect(told).toEqual([422, [expect.objectContaining(fault)]]);
    expect(await led()).toBe(`${origin}/done`);
  });
});
