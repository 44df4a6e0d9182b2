import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { logged, type Logged } from './logged.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let made: Logged;
let token: string;
let at: string;
let person: string;
const otherApp = `logs-other-${process.pid}`;

interface Row {
  readonly source: string;
  readonly id: string;
  readonly occurred_at: string;
  readonly [name: string]: unknown;
}
const get = (path: string, query = '', as = token): Promise<Answer> =>
  call('GET', `${path}?${query}`, { token: as });
const rowsOf = ({ body }: Answer): Row[] => body['items'] as Row[];
const idsOf = (answer: Answer): string[] => rowsOf(answer).map(({ id }) => id);

/** Every row as it was inserted; many have the same time. */
const all: { id: string; source: string; at: Date; app?: string; people: string[] }[] = [];

async function put(source: 'meeting' | 'trust_check', when: Date, people: string[], app?: string) {
  const [first] = people;
  const id =
    source === 'meeting'
      ? await made.newMeeting({
          at: when,
          people: Object.fromEntries(people.map((each) => [each, when])),
        })
      : await made.newCheck({
          at: when,
          ...(first === undefined ? {} : { person: first }),
          ...(app === undefined ? {} : { app }),
        });
  all.push({ id, source, at: when, people, ...(app === undefined ? {} : { app }) });
}

beforeAll(async () => {
  account = await newAccount(`logs-${process.pid}`);
  token = account.api_key;
  at = `/v2/logs/account/${account.account_id}`;
  person = account.subject.poly_user_id;
  const link = await call('PUT', `/v2/link/${account.app_id}`, { token, body: {} });
  await db.query(
    `INSERT INTO apps SELECT (jsonb_populate_record(a, jsonb_build_object('app_id', $2::text))).*
     FROM apps a WHERE app_id = $1`,
    [account.app_id, otherApp],
  );
  made = logged(db, account, String(link.body['link_uuid']));
  for (let place = 0; place < 40; place += 1) {
    const when = new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(place / 6)));
    const people = place % 3 === 0 ? [person] : place % 3 === 1 ? [] : [own.member.poly_user_id];
    const source = place % 2 === 0 ? 'meeting' : 'trust_check';
    await put(source, when, people, place % 5 === 0 ? otherApp : account.app_id);
  }
});
afterAll(() => db.end());

/** Returns the ids of these rows in the order of the log. */
function inOrder(rows: typeof all): string[] {
  const by = (one: string, other: string): number => Number(one > other) - Number(one < other);
  return rows
    .toSorted((a, b) => b.at.getTime() - a.at.getTime() || by(a.source, b.source) || by(a.id, b.id))
    .map(({ id }) => id);
}
const isCheck = ({ source }: { source: string }): boolean => source === 'trust_check';

describe('a log', () => {
  const streams = (): [string, string, string, string[]][] => [
    [at, '', token, inOrder(all)],
    [at, 'log_types=meeting', token, inOrder(all.filter((row) => !isCheck(row)))],
    [at, 'log_types=trust_check', token, inOrder(all.filter(isCheck))],
    [at, 'log_types=trust_check,meeting,meeting', token, inOrder(all)],
    [
      at,
      `app_id=${otherApp}`,
      token,
      inOrder(all.filter((row) => isCheck(row) && row.app === otherApp)),
    ],
    [at, `app_id=${otherApp}&log_types=meeting`, token, []],
    [at, 'app_id=no-such-app', token, []],
    [
      `/v2/logs/user/${person}/account/${account.account_id}`,
      '',
      token,
      inOrder(all.filter(({ people }) => people.includes(person))),
    ],
    [
      '/v2/logs/me',
      '',
      account.subject.session_token,
      inOrder(all.filter(({ people }) => people.includes(person))),
    ],
    [
      '/v2/logs/me',
      'log_types=meeting',
      account.subject.session_token,
      inOrder(all.filter((row) => row.people.includes(person) && !isCheck(row))),
    ],
  ];

  it('has one order over both sources, by page and by cursor', async () => {
    for (const [path, query, as, ids] of streams()) {
      const whole = await get(path, `${query}&page_size=100`, as);
      expect([whole.status, idsOf(whole)], `${path} ${query}`).toEqual([200, ids]);
      expect(whole.body).toMatchObject({ total: ids.length, next_cursor: null });
      const paged = [];
      for (let page = 1; page <= Math.ceil(ids.length / 7); page += 1) {
        paged.push(...idsOf(await get(path, `${query}&page_size=7&page=${page}`, as)));
      }
      expect(paged, `${path} ${query}`).toEqual(ids);
      const read = [];
      let next = '';
      for (let page = 1; ; page += 1) {
        const one = await get(path, `${query}&page_size=3${next}`, as);
        read.push(...idsOf(one));
        expect(one.body).toMatchObject({ page, total: ids.length });
        const cursor = one.body['next_cursor'];
        if (typeof cursor !== 'string') break;
        next = `&cursor=${cursor}`;
      }
      expect(read, `${path} ${query}`).toEqual(ids);
    }
  });

  it('continues from a cursor even if rows are added meanwhile', async () => {
    const first = await get(at, 'page_size=5');
    const soon = new Date(Date.UTC(2026, 5, 1));
    await put('trust_check', soon, []);
    await put('meeting', soon, []);
    const cursor = `cursor=${String(first.body['next_cursor'])}&page_size=5`;
    const ids = inOrder(all);
    expect(idsOf(await get(at, cursor))).toEqual(ids.slice(7, 12));
    expect(idsOf(await get(at, 'page_size=2'))).toEqual(ids.slice(0, 2));
  });

  it('returns at most 500 rows per page, and none past the end', async () => {
    const most = await get(at, 'page_size=1000000');
    expect([most.body['page_size'], most.body['pages']]).toEqual([500, 1]);
    const beyond = await get(at, 'page=1000000&page_size=500');
    expect([idsOf(beyond), beyond.body['total'], beyond.body['page']]).toEqual([
      [],
      all.length,
      1_000_000,
    ]);
  });

  it('shows for each row the fields of its source', async () => {
    const when = new Date(Date.UTC(2027, 0, 1));
    const check = await made.newCheck({
      at: when,
      title: 'Confirm',
      person,
      claims: { full_name: 'ERIKSSON ANNA MARIA', phone_number: '+4915112345678' },
      consented: ['full_name'],
    });
    const meeting = await made.newMeeting({
      at: when,
      topic: 'Interview',
      organization: 'Example',
      host: 'A Host',
      user: 'A Guest',
    });
    const answer = await get(at, 'page_size=2');
    expect(rowsOf(answer)).toEqual([
      {
        source: 'meeting',
        id: meeting,
        occurred_at: when.toISOString(),
        ended_at: null,
        account_id: account.account_id,
        livemode: true,
        app_id: null,
        title: 'Interview',
        status: 'ended',
        platform: 'conf-a',
        meeting_id: Buffer.from(meeting).toString('base64url'),
        organization: 'Example',
        host_name: 'A Host',
        user_name: 'A Guest',
        participant_count: 2,
        verified_count: 1,
        link_uuid: expect.any(String),
        poly_user_id: null,
        reason_code: null,
        affidavit_available: null,
      },
      {
        source: 'trust_check',
        id: check,
        occurred_at: when.toISOString(),
        ended_at: when.toISOString(),
        account_id: account.account_id,
        livemode: true,
        app_id: account.app_id,
        title: 'Confirm',
        status: 'passed',
        platform: null,
        meeting_id: null,
        organization: null,
        host_name: null,
        user_name: 'ERIKSSON ANNA MARIA',
        participant_count: null,
        verified_count: null,
        link_uuid: expect.any(String),
        poly_user_id: person,
        reason_code: null,
        affidavit_available: true,
      },
    ]);
    // Claims that were not released and names that were redacted are absent.
    expect(answer.text).not.toContain('+49151');
    await db.query('UPDATE trust_checks SET redacted_at = now() WHERE link_session_id = $1', [
      check,
    ]);
    expect(rowsOf(await get(at, 'page_size=2'))[1]).toMatchObject({ id: check, user_name: null });
  });
});
