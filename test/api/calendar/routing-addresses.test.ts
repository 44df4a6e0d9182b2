import { afterAll, describe, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { connect, endOf, newPerson } from '../../support/people/calendar.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

describe('calendar.routingAddresses', () => {
  it('shows shared addresses only to a POLYADMIN, in pages', async () => {
    const account = await newAccount('cal-shared');
    const { token } = await newEmailUser(db, { [account.account_id]: ['POLYADMIN'] });
    const id = String(account.account_id);
    const person = newPerson();
    const shared = { intent: 'routing', shared: 'true', account_id: id, return_to: '/done' };
    expect(endOf(await connect(token, shared, person))).toEqual([302, 'connected', null]);
    const mine = { intent: 'routing', account_id: id, return_to: '/done' };
    expect(endOf(await connect(account.api_key, mine))).toEqual([302, 'connected', null]);
    const list = async (by: string, rest = '') =>
      call('GET', `/cal/routing-addresses?account_id=${id}${rest}`, { token: by });
    const whole = await list(token, '&page_size=100');
    const items = whole.body['items'] as { shared: boolean; address: string }[];
    expect(items[0]).toMatchObject({ shared: false, account_id: account.account_id });
    expect(items.filter(({ address }) => address.startsWith(person))).toMatchObject([
      { shared: true, account_id: null },
    ]);
    const own = await list(account.api_key);
    expect(own.body).toMatchObject({ total: 1, items: [{ shared: false }] });
    expect((await list(token, '&page_size=1')).body).toMatchObject({ page_size: 1, page: 1 });
    // A shared connection belongs to no account, so no account gets its events.
    const events = await call('GET', '/v2/events?types=calendar.connected', {
      token: account.api_key,
    });
    expect(events.body['items']).toHaveLength(1);
    const query = '?page=0';
    expect((await call('GET', `/cal/routing-addresses${query}`, { token })).status).toBe(422);
  });
});
