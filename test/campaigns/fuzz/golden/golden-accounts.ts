import { randomIds } from '../../../../db/ids.ts';
import { call, done } from '../../../support/http/client.ts';
import { begin, decide, newPerson, startPath } from '../../../support/people/calendar.ts';
import {
  answerAs,
  beginConsent,
  connectTenant,
  newTenant,
} from '../../../support/people/consents.ts';
import { newEmailUser } from '../../../support/people/email-users.ts';
import { newAddress } from '../../../support/people/mailbox.ts';
import { eventually } from '../../../support/platform/harness.ts';
import { newKeyOf, type Stage } from '../stage.ts';
import type { Golden, MakeGolden } from './golden.ts';

/** Good calls of admins, all on the quiet account. */
export function goldenAccounts({
  db,
  quiet,
  receiver: url,
  confB: { origin: at },
}: Stage): Readonly<Record<string, MakeGolden>> {
  const account = `/v2/accounts/${quiet.account_id}`;
  const token = quiet.api_key;
  const routing = { intent: 'routing', account_id: String(quiet.account_id) };
  const by = (path: string, body?: unknown): Golden => ({
    path: `${account}${path}`,
    token,
    ...(body === undefined ? {} : { body }),
  });
  const make = (method: string, path: string, body: unknown) =>
    done(path, () => call(method, `${account}${path}`, { token, body }));
  const newEndpoint = async (): Promise<string> => {
    const { body } = await make('POST', '/webhook-endpoints', { url, types: ['meeting.ended'] });
    return `/webhook-endpoints/${String(body['endpoint_id'])}`;
  };
  const newApp = async (): Promise<string> => {
    const id = `fuzz-${randomIds.bytes(8).toString('hex')}`;
    await make('PUT', `/apps/${id}`, { name: 'An app', kind: 'sdk' });
    return `/apps/${id}`;
  };
  const newMember = async (): Promise<string> => {
    const { polyUserId } = await newEmailUser(db, { [quiet.account_id]: ['VIEWER'] });
    return `/members/${polyUserId}`;
  };
  const provider = {
    kind: 'jwt',
    issuer: 'https://login.example.test',
    client_id: 'trustcheck',
    group_roles: {},
  };
  /** Starts of flows are limited per caller. */
  const newAdmin = async (): Promise<string> =>
    (await newKeyOf(quiet, { name: 'an admin', roles: ['ADMIN'] })).key;
  const newProvider = async (): Promise<string> => {
    const path = `/sso-providers/fuzz-${randomIds.bytes(8).toString('hex')}`;
    await make('PUT', path, provider);
    return path;
  };
  const newDelivery = async (): Promise<string> => {
    const endpoint = await newEndpoint();
    await make('POST', `${endpoint}/test`, { type: 'link.created' });
    return eventually('a delivery', async () => {
      const list = await call('GET', `${account}${endpoint}/deliveries`, { token });
      const [one] = list.body['items'] as { delivery_id: string; status: string }[];
      return one?.status === 'delivered' && `${endpoint}/deliveries/${one.delivery_id}`;
    });
  };
  return {
    'links.send': async () => ({
      path: `/v2/link/send/${quiet.app_id}`,
      token: await newAdmin(),
      body: { send_to_email: newAddress() },
    }),
    'accounts.list': async () => ({
      path: '/v2/accounts',
      token: (await newEmailUser(db, { [quiet.account_id]: ['MEMBER'] })).token,
    }),
    'accounts.invitations': async () => ({
      path: '/v2/invitations',
      token: (await newEmailUser(db)).token,
    }),
    'accounts.accept': async () => {
      const { polyUserId: poly_user_id, token: invited } = await newEmailUser(db);
      await make('POST', '/members', { poly_user_id, roles: ['VIEWER'] });
      return { path: `${account}/accept`, token: invited };
    },
    'accounts.decline': async () => {
      const { polyUserId: poly_user_id, token: invited } = await newEmailUser(db);
      await make('POST', '/members', { poly_user_id, roles: ['VIEWER'] });
      return { path: `${account}/decline`, token: invited };
    },
    'accounts.leave': async () => ({
      path: `${account}/membership`,
      token: (await newEmailUser(db, { [quiet.account_id]: ['MEMBER'] })).token,
    }),
    'accounts.get': async () => by(''),
    'accounts.update': async () => by('', { name: 'changed' }),
    'members.list': async () => by('/members'),
    'members.invite': async () => {
      const { polyUserId: poly_user_id } = await newEmailUser(db);
      return by('/members', { poly_user_id, roles: ['VIEWER'] });
    },
    'members.update': async () => by(await newMember(), { roles: ['MEMBER'] }),
    'members.remove': async () => by(await newMember()),
    'api-keys.list': async () => by('/api-keys'),
    'api-keys.create': async () => by('/api-keys', { name: 'a key', roles: ['VIEWER'] }),
    'api-keys.revoke': async () =>
      by(`/api-keys/${(await newKeyOf(quiet, { name: 'a key', roles: ['VIEWER'] })).id}`),
    'api-keys.rotate': async () => {
      const { id } = await newKeyOf(quiet, { name: 'a key', roles: ['VIEWER'] });
      return by(`/api-keys/${id}/rotate`, { expires_in: 60 });
    },
    'apps.create': async () =>
      by(`/apps/fuzz-${randomIds.bytes(8).toString('hex')}`, { name: 'An app', kind: 'sdk' }),
    'apps.get': async () => by(await newApp()),
    'apps.preview': async () => by(`${await newApp()}/preview`),
    'apps.update': async () => by(await newApp(), { tos_version: '1' }),
    'apps.archive': async () => by(await newApp()),
    'sso-providers.list': async () => by('/sso-providers'),
    'sso-providers.put': async () =>
      by(`/sso-providers/fuzz-${randomIds.bytes(8).toString('hex')}`, provider),
    'sso-providers.remove': async () => by(await newProvider()),
    'audit.list': async () => by('/audit'),
    'calendar.start': async () => ({ path: startPath(routing), token: await newAdmin() }),
    'calendar.routingAddresses': async () => ({
      path: `/cal/routing-addresses?account_id=${quiet.account_id}`,
      token,
    }),
    'calendar.callback': async () => {
      const { authorizeUrl, cookie } = await begin(await newAdmin(), {
        ...routing,
        return_to: '/',
      });
      return { path: await decide(authorizeUrl, newPerson('denies')), headers: { cookie } };
    },
    'meetings.connect': async () => ({ path: '/v2/conf-b/consent', token: await newAdmin(), at }),
    'meetings.redirect': async () => {
      const admin = await newAdmin();
      const body = await answerAs(await beginConsent(admin, at), newTenant());
      return { path: '/v2/conf-b/redirect', token: admin, body, at };
    },
    'meetings.disconnect': async () => {
      const tenant = newTenant();
      await connectTenant(await newAdmin(), at, tenant);
      return { path: `/v2/conf-b/consent/${tenant}`, token, at };
    },
    'webhook-endpoints.create': async () =>
      by('/webhook-endpoints', { url, types: ['meeting.ended'] }),
    'webhook-endpoints.list': async () => by('/webhook-endpoints'),
    'webhook-endpoints.get': async () => by(await newEndpoint()),
    'webhook-endpoints.update': async () => by(await newEndpoint(), { description: 'changed' }),
    'webhook-endpoints.remove': async () => by(await newEndpoint()),
    'webhook-endpoints.rotateSecret': async () => by(`${await newEndpoint()}/rotate-secret`, {}),
    'webhook-endpoints.test': async () =>
      by(`${await newEndpoint()}/test`, { type: 'link.created' }),
    'deliveries.list': async () => by(`${await newEndpoint()}/deliveries`),
    'deliveries.replay': async () => by(`${await newDelivery()}/replay`, {}),
  };
}
