import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { call, done, newLink } from '../../../support/http/client.ts';
import { newMeetingLink } from '../../../support/people/meetings.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { countEvents, countRows, keyOf, newName, raceDb } from '../../../support/races/ground.ts';
import {
  atOnce,
  expectFates,
  newAddress,
  told,
  untilAnswered,
  type Race,
} from '../../../support/races/race.ts';

const own = () => ownPlatform().own;

const lease: Race = {
  name: 'link-lease',
  rule: 'a single-use link leads to one session, and every other begin hears the same',
  statements: ['links.reserve', 'links.lock', 'trust_checks.insert'],
  prepare: async () => async (callers) => {
    const link_uuid = await newLink({ single_use: true });
    const headers = newAddress();
    const body = { link_uuid, client: 'web' };
    const answers = await atOnce(callers, () =>
      // The idempotency key distinguishes a repeat after a lost answer from a second begin.
      untilAnswered('POST', '/v2/trust-checks', {
        body,
        headers: { ...headers, 'idempotency-key': randomUUID() },
      }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, { 201: 1, '409 already_begun': callers - 1 });
    const refusals = answers.flatMap(({ status, body: problem }) =>
      status === 409 ? [JSON.stringify({ ...problem, request_id: null })] : [],
    );
    expect(new Set(refusals).size).toBeLessThanOrEqual(1);
    const begun = new Set(
      answers.flatMap(({ status, body: made }) =>
        status === 201 ? [String(made['link_session_id'])] : [],
      ),
    );
    const { rows } = await raceDb().query(
      `SELECT l.status, l.reserved_by, t.link_session_id FROM links l JOIN trust_checks t
       USING (link_uuid) WHERE l.link_uuid = $1`,
      [link_uuid],
    );
    const [id] = begun;
    expect(rows).toEqual([{ status: 'reserved', reserved_by: id, link_session_id: id }]);
    expect(await countEvents('link.reserved', link_uuid)).toBe(1);
    expect(await countEvents('trust_check.created', id ?? '')).toBe(1);
    return outcomes;
  },
};

const uses: Race = {
  name: 'link-uses',
  rule: 'no more sessions begin than a link has uses',
  statements: ['trust_checks.insert', 'links.lock'],
  roundsMax: 10,
  prepare: async () => async (callers) => {
    const usesMax = Math.min(3, callers);
    const link = await newLink({ max_uses: usesMax });
    const address = newAddress();
    const body = { link_uuid: link, client: 'web' };
    const answers = await atOnce(callers, () => {
      const headers = { ...address, 'idempotency-key': randomUUID() };
      return untilAnswered('POST', '/v2/trust-checks', { body, headers });
    });
    const outcomes = answers.map(told);
    expectFates(outcomes, { 201: usesMax, '409 link_not_active': callers - usesMax });
    const begun = 'SELECT 1 FROM trust_checks WHERE link_uuid = $1';
    expect(await countRows(begun, [link])).toBe(usesMax);
    return outcomes;
  },
};

const versions: Race = {
  name: 'link-if-match',
  rule: 'of the changes of one version one is made',
  statements: ['links.lock', 'links.update'],
  async prepare() {
    const { account_id: accountId, app_id } = own();
    return async (callers) => {
      const token = await keyOf(accountId, ['ADMIN']);
      const made = await call('PUT', `/v2/link/${app_id}`, { token, body: { title: 'before' } });
      const at = `/v2/link/${app_id}/${String(made.body['link_uuid'])}`;
      const headers = { 'if-match': made.headers.get('etag') ?? '' };
      const answers = await atOnce(callers, (place) =>
        call('PATCH', at, { token, headers, body: { title: `by ${place}` } }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: 1, '412 precondition_failed': callers - 1 });
      const won = answers.find(({ status }) => status === 200);
      const found = await call('GET', `/v2/raw/${String(made.body['link_uuid'])}`, { token });
      expect([found.body['title'], found.headers.get('etag')]).toEqual([
        won?.body['title'],
        won?.headers.get('etag'),
      ]);
      expect(await countEvents('link.updated', String(made.body['link_uuid']))).toBe(1);
      return outcomes;
    };
  },
};

const changesTogether: Race = {
  name: 'link-changes-together',
  rule: 'changes of different things of one link are all kept, what is matched as well',
  statements: ['links.lock', 'links.update'],
  async prepare() {
    const { account_id: accountId, app_id } = own();
    return async (callers) => {
      const token = await keyOf(accountId, ['ADMIN']);
      const made = await call('PUT', `/v2/link/${app_id}`, { token, body: {} });
      const uuid = String(made.body['link_uuid']);
      const matched = { full_name: 'Erika Mustermann' };
      const outcomes = (
        await atOnce(callers, (place) => {
          const body = place === 0 ? { matching_params: matched } : { title: `by ${place}` };
          return call('PATCH', `/v2/${uuid}`, { token, body });
        })
      ).map(told);
      expectFates(outcomes, { 200: callers });
      const { body } = await call('GET', `/v2/raw/${uuid}`, { token });
      expect(body['matching_params']).toEqual(matched);
      expect(await countEvents('link.updated', uuid)).toBe(callers);
      return outcomes;
    };
  },
};

const deletion: Race = {
  name: 'link-deleted',
  rule: 'a link is deleted once, and no session outlives it that was begun meanwhile',
  statements: ['links.remove', 'links.lock'],
  async prepare() {
    const { account_id: accountId, app_id } = own();
    return async (callers) => {
      const token = await keyOf(accountId, ['ADMIN']);
      const link_uuid = await newLink();
      const headers = newAddress();
      const answers = await atOnce(callers, (place) =>
        place % 5 === 4
          ? untilAnswered('POST', '/v2/trust-checks', {
              body: { link_uuid, client: 'web' },
              headers,
            })
          : untilAnswered('DELETE', `/v2/link/${app_id}/${link_uuid}`, { token }),
      );
      const begun = answers.filter((_, place) => place % 5 === 4).map(told);
      const removed = answers.filter((_, place) => place % 5 !== 4).map(told);
      expectFates(removed, { 200: 1, '404 not_found': removed.length - 1 });
      expectFates(begun, {}, ['201', '404 not_found', '409 link_not_active']);
      expect(await countEvents('link.deleted', link_uuid)).toBe(1);
      // The workers end sessions that began at the same moment.
      await done('the end of its sessions', async () => {
        const left = await countRows(
          `SELECT 1 FROM trust_checks WHERE link_uuid = $1 AND status <> 'canceled'`,
          [link_uuid],
        );
        const found = await call('GET', `/v2/raw/${link_uuid}`, { token });
        return left === 0 ? { ...found, status: 200 } : { ...found, status: 503 };
      });
      return [...begun, ...removed];
    };
  },
};

const firstRun: Race = {
  name: 'first-run',
  rule: 'an import link that was opened on a phone is given once',
  statements: ['opened_imports.take', 'opened_imports.note'],
  prepare: async () => async (callers) => {
    const { app_id, api_key: token } = own();
    const address = newAddress();
    const made = await call('PUT', `/v2/link/import/${app_id}`, { token, body: {} });
    const link = String(made.body['link_uuid']);
    const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)';
    const browser = { ...address, 'user-agent': safari, accept: 'text/html' };
    await atOnce(callers, () => call('GET', `/v2/${app_id}/${link}`, { headers: browser }));
    const app = { ...address, 'user-agent': 'Example/4.1 CFNetwork/1568.100.1 Darwin/24.0.0' };
    const answers = await atOnce(callers, () => call('GET', '/v2/first-run', { headers: app }));
    const given = answers.map(({ body }) => (body['link'] === null ? 'nothing' : 'the link'));
    expectFates(answers.map(told), { 200: callers });
    expectFates(given, { 'the link': 1, nothing: callers - 1 });
    expect(await countRows('SELECT 1 FROM opened_imports WHERE link_uuid = $1', [link])).toBe(0);
    return given;
  },
};

const meetingStart: Race = {
  name: 'meeting-start',
  rule: 'a link starts one meeting with one host',
  statements: ['meetings.insert', 'meetings.lock', 'links.lock', 'participants.insert'],
  prepare: async () => async (callers) => {
    const { api_key: token } = own();
    const link = await newMeetingLink();
    const answers = await atOnce(callers, () =>
      untilAnswered('POST', `/v2/start/${link}`, { token, body: {} }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, { 200: callers });
    for (const name of ['meeting_id', 'participant_id']) {
      expect(new Set(answers.map(({ body }) => body[name])).size, name).toBe(1);
    }
    const { rows } = await raceDb().query(
      `SELECT m.occurrence, m.meeting_id IS NOT NULL AS is_placed, p.role FROM meetings m
       JOIN meeting_participants p USING (meeting_key) WHERE m.link_uuid = $1`,
      [link],
    );
    expect(rows).toEqual([{ occurrence: 1, is_placed: true, role: 'host' }]);
    return outcomes;
  },
};

const repeatedLink: Race = {
  name: 'link-created-once',
  rule: 'a link asked for under one key is one link',
  statements: ['idempotency.claim', 'links.insert'],
  prepare: async () => async (callers) => {
    const { app_id, account_id, api_key: token } = own();
    const headers = { 'idempotency-key': newName('link') };
    const body = { title: newName('title') };
    const answers = await atOnce(callers, () =>
      call('PUT', `/v2/link/${app_id}`, { token, headers, body }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, {}, ['200', '409 idempotency_in_progress']);
    const path = `/v2/links/${account_id}/${app_id}?search=${body.title}`;
    expect((await call('GET', path, { token })).body['total']).toBe(1);
    return outcomes;
  },
};

export const linkRaces: readonly Race[] = [
  lease,
  uses,
  versions,
  changesTogether,
  deletion,
  firstRun,
  meetingStart,
  repeatedLink,
];
