import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { enrolledPhone, signedCall } from '../../../support/checks/phone.ts';
import { call, newLink, type Answer } from '../../../support/http/client.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { startSecondApi } from '../../../support/platform/second-api.ts';

const { own, databaseUrl } = ownPlatform();
const taken = [409, 'link_not_active'];
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

/** Begins a check; repeats the same request while the platform answers 503. */
async function begin(link: string): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  const body = { link_uuid: link, client: 'web' };
  return eventually('an answer', async () => {
    const answer = await call('POST', '/v2/trust-checks', { body, headers });
    const isOpen = answer.status === 503 || answer.body['code'] === 'idempotency_in_progress';
    return isOpen ? null : answer;
  });
}

const stepOf = ({ body }: Answer, name: string, args: unknown = {}): Promise<Answer> =>
  eventually(`an answer of ${name}`, async () => {
    const path = `/v2/trust-checks/${String(body['link_session_id'])}/${name}`;
    const token = String(body['check_token']);
    const answer = await call('POST', path, { token, body: args });
    return answer.status === 503 ? null : answer;
  });

/** Cancels a session and waits for the end; a retry after a 503 may find it canceled already. */
async function cancel(session: Answer): Promise<void> {
  await stepOf(session, 'cancel');
  const path = `/v2/trust-checks/${String(session.body['link_session_id'])}`;
  await eventually('the end', async () => {
    const { body } = await call('GET', path, { token: own.api_key });
    return body['status'] === 'canceled';
  });
}

/** Begins a session of the link and opens it. */
async function beginOpened(link: string): Promise<Answer> {
  const session = await begin(link);
  await stepOf(session, 'open');
  return session;
}

async function countPaired(link: string): Promise<number> {
  const db = openTestDb(databaseUrl);
  const { rowCount } = await db.query(
    'SELECT 1 FROM trust_checks WHERE link_uuid = $1 AND paired_at IS NOT NULL',
    [link],
  );
  await db.end();
  return rowCount ?? 0;
}

describe('a link that has become active', () => {
  const soon = () => new Date(Date.now() + 1_500).toISOString();
  const raw = async (link: string) =>
    (await call('GET', `/v2/raw/${link}`, { token: own.api_key })).body;
  const begun = (link: string) =>
    eventually('its beginning', async () => (await raw(link))['status'] === 'active');
  const decline = (session: Answer) =>
    stepOf(session, 'consent', { accepted: false, tos_version: '1' });

  it('admits one session if it is single-use', async () => {
    const link = await newLink({
      single_use: true,
      required_proofs: ['phone'],
      not_before: new Date(Date.now() + 3600_000).toISOString(),
    });
    expect(outcome(await begin(link))).toEqual(taken);
    const db = openTestDb(databaseUrl);
    await db.query('UPDATE links SET not_before = now() WHERE link_uuid = $1', [link]);
    await db.end();
    await begun(link);
    const sessions = await Promise.all([begin(link), begin(link), begin(link)]);
    const ids = sessions.flatMap(({ body }) => body['link_session_id'] ?? []);
    expect(ids).toHaveLength(1);
    const others = sessions.filter(({ status }) => status !== 201);
    expect(others.map(outcome)).toEqual(others.map(() => [409, 'already_begun']));
    expect((await raw(link))['status']).toBe('reserved');
    const session = sessions.find(({ status }) => status === 201);
    if (!session) throw new Error('none began');
    await stepOf(session, 'open');
    await stepOf(session, 'pair');
    await decline(session);
    await eventually('the use', async () => (await raw(link))['status'] === 'consumed');
    expect(outcome(await begin(link))).toEqual(taken);
  });

  it.each([
    ['scheduled', () => ({ not_before: soon() }), false],
    ['paused', () => ({}), true],
  ])('is consumed by its last use while its status is %s', async (status, more, isPaused) => {
    const link = await newLink({ max_uses: 1, required_proofs: ['phone'], ...more() });
    await begun(link);
    const session = await beginOpened(link);
    await stepOf(session, 'pair');
    const path = `/v2/link/${own.app_id}/${link}`;
    const patch = (paused: boolean) =>
      call('PATCH', path, { token: own.api_key, body: { paused } });
    if (isPaused) expect((await patch(true)).status).toBe(200);
    await decline(session);
    await eventually('the use', async () => (await raw(link))['status'] === 'consumed');
    expect((await patch(false)).status).toBe(409);
    const told = await call('GET', `/v2/events?stream=link:${link}&types=link.consumed`, {
      token: own.api_key,
    });
    expect(told.body['items']).toMatchObject([{ previous: { status } }]);
  });
});

describe('the uses of a reusable link', () => {
  it('are reserved at begin: of fifty concurrent callers three get three uses', async () => {
    const link = await newLink({ max_uses: 3 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => begin(link)));
    const sessions = answers.filter(({ status }) => status === 201);
    expect(sessions).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(outcome)).toEqual(Array.from({ length: 47 }, () => taken));
    // Every caller that opened the link can complete its session.
    for (const session of sessions) {
      expect((await stepOf(session, 'open')).status).toBe(200);
      expect((await stepOf(session, 'pair')).status).toBe(200);
    }
    expect(await countPaired(link)).toBe(3);
    expect(outcome(await begin(link))).toEqual(taken);
  });

  it('are not spent twice when a phone joins the waiting page', async () => {
    const link = await newLink({ max_uses: 1, required_proofs: ['device'] });
    const page = await beginOpened(link);
    const pair_token = String(page.body['pair_url']).split('#p=')[1];
    const device = await enrolledPhone();
    const join = () =>
      signedCall(device, 'POST', '/v2/trust-checks', {
        body: { link_uuid: link, client: 'mobile', pair_token },
      });
    for (const answer of [await join(), await join()]) {
      expect([answer.status, answer.body['status']]).toEqual([201, 'paired']);
      expect(answer.body['link_session_id']).toBe(page.body['link_session_id']);
    }
    expect(outcome(await begin(link))).toEqual(taken);
  });

  it('are released only by sessions that ended without using them', async () => {
    const link = await newLink({ max_uses: 2 });
    const [first, second] = [await beginOpened(link), await begin(link)];
    expect(outcome(await begin(link))).toEqual(taken);
    await cancel(first);
    const third = await beginOpened(link);
    expect(third.status).toBe(201);
    for (const name of ['open', 'pair']) expect((await stepOf(second, name)).status).toBe(200);
    const declined = await stepOf(second, 'consent', { accepted: false, tos_version: '1' });
    expect(declined.body['status']).toBe('declined');
    expect(outcome(await begin(link))).toEqual(taken);
    await cancel(third);
    expect((await begin(link)).status).toBe(201);
  });

  it.each(['web', 'mobile'])(
    'are released when a %s client leaves its session unopened',
    async (client) => {
      const link = await newLink({ max_uses: 1 });
      const unopened = await begin(link);
      expect(outcome(await stepOf(unopened, 'pair'))).toEqual([409, 'invalid_state']);
      const db = openTestDb(databaseUrl);
      await db.query(
        `UPDATE trust_checks SET created_at = created_at - interval '31 minutes'
         WHERE link_uuid = $1`,
        [link],
      );
      await db.end();
      const second = await begin(link);
      expect(second.status).toBe(201);
      const { resume_token } = unopened.body;
      const late = await (client === 'web'
        ? stepOf(unopened, 'open')
        : call('POST', '/v2/trust-checks', { body: { link_uuid: link, client, resume_token } }));
      expect(outcome(late)).toEqual(taken);
      await cancel(second);
      expect((await stepOf(unopened, 'open')).status).toBe(200);
      expect((await stepOf(unopened, 'pair')).status).toBe(200);
      expect(outcome(await begin(link))).toEqual(taken);
    },
  );

  it('are unlimited if no maximum is set', async () => {
    const link = await newLink();
    const sessions = [await beginOpened(link), await beginOpened(link), await beginOpened(link)];
    const answers = await Promise.all(sessions.map((session) => stepOf(session, 'pair')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('stay reserved for a begin whose Temporal call failed', async () => {
    const link = await newLink({ max_uses: 1 });
    const headers = { 'idempotency-key': randomUUID(), 'x-forwarded-for': '203.0.113.77' };
    const body = { link_uuid: link, client: 'web' };
    // Nothing listens on port 9 (discard).
    const away = await startSecondApi({
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      TRUSTED_PROXIES: 'loopback',
    });
    try {
      const options = { body, headers, at: away.origin };
      const unanswered = await call('POST', '/v2/trust-checks', options);
      expect(outcome(unanswered)).toEqual([503, 'dependency_unavailable']);
    } finally {
      await away.stop();
    }
    expect(outcome(await begin(link))).toEqual(taken);
    const again = await call('POST', '/v2/trust-checks', { body, headers });
    expect(again.status).toBe(201);
    // The client never received the first resume token: only the second is valid.
    const resume_token = again.body['resume_token'];
    const resumed = await call('POST', '/v2/trust-checks', { body: { ...body, resume_token } });
    expect(resumed.body['link_session_id']).toBe(again.body['link_session_id']);
  });
});
