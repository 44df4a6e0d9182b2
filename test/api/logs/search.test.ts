import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { logged } from './logged.ts';

const db = openTestDb(ownPlatform().databaseUrl);
let account: Seed;
let token: string;
let at: string;
let person: string;

const get = (path: string, query = '', as = token): Promise<Answer> =>
  call('GET', `${path}?${query}`, { token: as });
const idsOf = ({ body }: Answer): string[] =>
  (body['items'] as { id: string }[]).map(({ id }) => id);
const search = async (text: string, path = at, as = token): Promise<string[]> =>
  idsOf(await get(path, `search=${encodeURIComponent(text)}`, as));

beforeAll(async () => {
  account = await newAccount(`searched-${process.pid}`);
  token = account.api_key;
  at = `/v2/logs/account/${account.account_id}`;
  person = account.subject.poly_user_id;
});
afterAll(() => db.end());

describe('the search of logs', () => {
  it('finds every declared field, ignoring case', async () => {
    const when = new Date(Date.UTC(2028, 0, 1));
    const link = await call('PUT', `/v2/link/${account.app_id}`, { token, body: {} });
    const uuid = String(link.body['link_uuid']);
    const apart = logged(db, account, uuid);
    const meeting = await apart.newMeeting({
      at: when,
      topic: 'Übergabe 50%',
      organization: 'North_Wind Ltd',
      host: 'Specimen Utopia',
      user: 'José Ejemplo',
      people: { [person]: when },
    });
    const check = await apart.newCheck({
      at: when,
      title: 'Übergabe a_b',
      reference: 'REF-9',
      person,
      claims: { full_name: 'ERIKSSON ANNA MARIA' },
      consented: ['full_name'],
    });
    const seen = (await get(at, `search=${check}`)).body['items'];
    expect(seen).toMatchObject([{ user_name: 'ERIKSSON ANNA MARIA' }]);
    const mine = account.subject.session_token;
    const user = `/v2/logs/user/${person}/account/${account.account_id}`;
    for (const [text, ids] of [
      ['übergabe', [meeting, check]],
      // Meetings match parts of a text; checks match whole words without diacritics.
      ['übergab', [meeting]],
      ['UBERGABE', [check]],
      ['9 b ubergabe', [check]],
      ['50%', [meeting]],
      ['north_wind', [meeting]],
      ['northxwind', []],
      ['wind LTD', [meeting]],
      ['utopia', [meeting]],
      ['spec uto', [meeting]],
      ['Uto Spec', [meeting]],
      ['topia', []],
      ['jose', [meeting]],
      ['eriksson', [check]],
      ['anna mar', [check]],
      ['María Érik', [check]],
      ['riksson', []],
      ['anna jose', []],
      ['ref-9', [check]],
      ['a_b', [check]],
      [check, [check]],
      [meeting, [meeting]],
      [uuid, [meeting, check]],
      [` ${uuid} `, [meeting, check]],
      ["' OR 1=1 --", []],
      ['\\', []],
      ['%%', []],
      ['😀'.repeat(200), []],
    ] as const) {
      expect(await search(text), text).toEqual(ids);
      expect(await search(text, user), text).toEqual(ids);
      expect(await search(text, '/v2/logs/me', mine), text).toEqual(ids);
    }
    const some = await get(at, `search=${encodeURIComponent('übergabe')}&page_size=1`);
    expect(some.body).toMatchObject({ total: 2, pages: 2 });
    const next = `cursor=${String(some.body['next_cursor'])}`;
    const rest = await get(at, `search=${encodeURIComponent('übergabe')}&page_size=1&${next}`);
    expect([idsOf(rest), rest.body['next_cursor']]).toEqual([[check], null]);
    expect(idsOf(await get(at, `search=ref-9&app_id=no-such-app`))).toEqual([]);
    expect(idsOf(await get(at, 'search=utopia&log_types=trust_check'))).toEqual([]);
    // A blank search matches everything.
    expect((await get(at, 'search=%20%20')).body['total']).toBe(2);
    const ofApp = await get(at, `search=eriksson&app_id=${account.app_id}`);
    expect([idsOf(ofApp), ofApp.body['total']]).toEqual([[check], 1]);
    expect(idsOf(await get(at, 'search=eriksson&log_types=meeting'))).toEqual([]);
  });
});
