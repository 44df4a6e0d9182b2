import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { isResumeToken, makeResumeToken } from '../../../../activities/tokens/resume-token.ts';
import { randomIds } from '../../../../db/ids.ts';
import {
  call,
  clientOf,
  newLink,
  type Answer,
  type CallOptions,
} from '../../../support/http/client.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const path = '/v2/trust-checks';
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const idOf = ({ body }: Answer): string => String(body['link_session_id']);
const tokenOf = ({ body }: Answer): string => String(body['resume_token']);

/** Begins a check; retries with the same key while the platform is busy. */
async function begin(
  link: string,
  more: Record<string, unknown> = {},
  options: CallOptions = {},
): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID(), ...options.headers };
  const body = { link_uuid: link, client: 'web', ...more };
  return eventually('an answer', async () => {
    const answer = await call('POST', path, { ...options, body, headers });
    const isBusy = answer.status === 503 || answer.body['code'] === 'idempotency_in_progress';
    return isBusy ? null : answer;
  });
}

const stepOf = (begun: Answer, name: string, body: unknown = {}): Promise<Answer> =>
  call('POST', `${path}/${idOf(begun)}/${name}`, {
    token: String(begun.body['check_token']),
    body,
  });

describe('a second holder of a single-use link', () => {
  it('gets no check token for a session that another client began', async () => {
    const link = await newLink({ single_use: true });
    expect((await begin(link)).status).toBe(201);
    for (const options of [{}, { token: own.api_key }, { token: own.member.session_token }]) {
      for (const client of ['web', 'mobile']) {
        const refused = await begin(link, { client }, options);
        expect(outcome(refused)).toEqual([409, 'already_begun']);
        expect(refused.body['detail']).toContain('ask for a new link');
        expect(refused.text).not.toContain('tc_');
      }
    }
  });

  it('gets no check token from the machine of the page either, in development', async () => {
    const link = await newLink({ single_use: true });
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    expect((await begin(link, {}, { headers })).status).toBe(201);
    const refused = await begin(link, { client: 'mobile' }, { headers });
    expect(outcome(refused)).toEqual([409, 'already_begun']);
  });

  it('needs the resume token besides the link token of an emailed link', async () => {
    const to = `resume-${randomUUID()}@example.test`;
    const { link_uuid: link } = await clientOf(own.api_key).links.send({
      app_id: own.app_id,
      body: { send_to_email: to },
    });
    const link_token = await eventually('the mail', async () => {
      const { body } = await call('GET', '/outbox/messages?limit=200');
      const items = body['items'] as { recipient: string; text: string }[];
      const mail = items.find(({ recipient }) => recipient === to);
      return mail && /#t=([A-Za-z0-9_-]{22})/.exec(mail.text)?.[1];
    });
    const first = await begin(link, { link_token });
    expect(first.status).toBe(201);
    expect(outcome(await begin(link, { link_token }))).toEqual([409, 'already_begun']);
    expect(outcome(await begin(link))).toEqual([401, 'link_token_required']);
    const resumed = await begin(link, { link_token, resume_token: tokenOf(first) });
    expect([resumed.status, idOf(resumed)]).toEqual([201, idOf(first)]);
  });

  it('gets the same 409 as all but one of fifty concurrent callers', async () => {
    const link = await newLink({ single_use: true });
    const answers = await Promise.all(Array.from({ length: 50 }, () => begin(link)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const told = answers
      .filter(({ status }) => status !== 201)
      .map(({ status, body }) => [status, { ...body, request_id: null }]);
    expect(told[0]).toMatchObject([409, { code: 'already_begun' }]);
    expect(told).toEqual(told.map(() => told[0]));
  });
});

describe('a resume token', () => {
  it.each([true, false])('resumes its session in any open state, single use %s', async (once) => {
    const link = await newLink({ single_use: once });
    const first = await begin(link);
    const resume_token = tokenOf(first);
    for (const step of [null, 'open', 'pair']) {
      if (step) expect((await stepOf(first, step)).status).toBe(200);
      const again = await begin(link, { resume_token });
      expect([again.status, idOf(again), tokenOf(again)]).toEqual([201, idOf(first), resume_token]);
      expect(
        (
          await call('GET', `${path}/${idOf(first)}`, {
            token: String(again.body['check_token']),
          })
        ).status,
      ).toBe(200);
    }
  });

  it('is refused after its session has ended, which frees the link', async () => {
    const link = await newLink({ single_use: true });
    const first = await begin(link);
    expect((await stepOf(first, 'cancel')).status).toBe(200);
    const resume_token = tokenOf(first);
    const ended = await begin(link, { resume_token });
    expect(outcome(ended)).toEqual([409, 'invalid_state']);
    expect(ended.body['detail']).toContain('Begin without it');
    const second = await begin(link);
    expect(second.status).toBe(201);
    expect(idOf(second)).not.toBe(idOf(first));
    expect(outcome(await begin(link, { resume_token }))).toEqual([409, 'already_begun']);
  });

  it('belongs to one session: forged tokens and those of other links are refused', async () => {
    const [link, other] = [await newLink({ single_use: true }), await newLink()];
    const [first, ofOther] = [await begin(link), await begin(other)];
    const forged = `${idOf(first)}.${'A'.repeat(43)}`;
    for (const resume_token of [forged, tokenOf(ofOther), idOf(first), '', 'x'.repeat(128)]) {
      expect(outcome(await begin(link, { resume_token }))).toEqual([409, 'already_begun']);
    }
    for (const resume_token of [forged, tokenOf(first), 'x']) {
      expect(outcome(await begin(other, { resume_token }))).toEqual([409, 'invalid_state']);
    }
    for (const resume_token of ['x'.repeat(129), 1, null, [tokenOf(first)], '\u0000']) {
      expect((await begin(link, { resume_token })).status).toBe(422);
    }
  });

  it('is stored only as a hash and returned only to the client that began', async () => {
    const link = await newLink({ single_use: true });
    const first = await begin(link);
    const { rows } = await db.query<{ resume_hash: Buffer; whole: string }>(
      `SELECT resume_hash, row_to_json(t)::text AS whole FROM trust_checks t
       WHERE link_session_id = $1`,
      [idOf(first)],
    );
    expect(isResumeToken(rows[0]?.resume_hash ?? null, tokenOf(first))).toBe(true);
    expect(rows[0]?.whole).not.toContain(tokenOf(first).split('.')[1]);
    const pair_token = String(first.body['pair_url']).split('#p=')[1];
    const phone = await begin(link, { client: 'mobile', pair_token });
    expect([phone.status, idOf(phone), phone.body['resume_token']]).toEqual([
      201,
      idOf(first),
      null,
    ]);
  });

  it('is returned again when the same request is repeated', async () => {
    const link = await newLink({ single_use: true });
    const headers = { 'idempotency-key': randomUUID() };
    const first = await begin(link, {}, { headers });
    const again = await begin(link, {}, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('contains 256 random bits and matches no other session', () => {
    const id = randomIds.make('tc');
    const [one, other] = [makeResumeToken(randomIds, id), makeResumeToken(randomIds, id)];
    expect(Buffer.from(one.token.slice(id.length + 1), 'base64url')).toHaveLength(32);
    expect(isResumeToken(one.hash, one.token)).toBe(true);
    expect(isResumeToken(one.hash, other.token)).toBe(false);
    expect(isResumeToken(null, one.token)).toBe(false);
  });
});

/** Copies the only session of a link, so that the link has more open sessions. */
async function copySessions(link: string, count: number, network: string): Promise<void> {
  const { rowCount } = await db.query(
    `INSERT INTO trust_checks SELECT (jsonb_populate_record(t, jsonb_build_object(
       'link_session_id', 'tc_' || lpad(n::text, 6, '0') || substr($3, 1, 20),
       'begun_from', $4::text))).*
     FROM trust_checks t, generate_series(1, $2) n WHERE t.link_uuid = $1`,
    [link, count, randomUUID().replaceAll('-', ''), network],
  );
  expect(rowCount).toBe(count);
}

describe('the open sessions of a reusable link', () => {
  const from = (address: string): CallOptions => ({ headers: { 'x-forwarded-for': address } });

  it('are limited per network for anonymous callers, below the limit of the link', async () => {
    const link = await newLink();
    const [flooder, other] = [from('2001:db8:1::1'), from('2001:db8:2::1')];
    const first = await begin(link, {}, flooder);
    await copySessions(link, 199, '2001:db8:1::/64');
    for (const options of [flooder, from('2001:db8:1::ffff')]) {
      const refused = await call('POST', path, {
        ...options,
        body: { link_uuid: link, client: 'web' },
      });
      expect(outcome(refused)).toEqual([429, 'rate_limited']);
      expect(refused.headers.get('retry-after')).toBe('60');
    }
    expect((await begin(link, {}, other)).status).toBe(201);
    const known = { ...flooder, token: own.member.session_token };
    expect((await begin(link, {}, known)).status).toBe(201);
    const resumed = await begin(link, { resume_token: tokenOf(first) }, flooder);
    expect([resumed.status, idOf(resumed)]).toEqual([201, idOf(first)]);
    expect((await begin(await newLink(), {}, flooder)).status).toBe(201);
    expect((await stepOf(first, 'cancel')).status).toBe(200);
    // The other sessions from this network still reach the limit.
    await db.query(
      `UPDATE trust_checks SET status = 'abandoned' WHERE link_session_id = (
         SELECT max(link_session_id) FROM trust_checks
         WHERE link_uuid = $1 AND status = 'created' AND begun_from = $2)`,
      [link, '2001:db8:1::/64'],
    );
    expect((await begin(link, {}, flooder)).status).toBe(201);
  });

  it('are limited to 5,000 regardless of the callers’ networks', async () => {
    const link = await newLink();
    const first = await begin(link);
    await copySessions(link, 4_999, '198.51.100.7');
    for (const options of [from('203.0.113.9'), { token: own.api_key }]) {
      const refused = await call('POST', path, {
        ...options,
        body: { link_uuid: link, client: 'web' },
      });
      expect(outcome(refused)).toEqual([409, 'session_limit']);
      expect(refused.headers.get('retry-after')).toBe('60');
    }
    expect((await stepOf(first, 'cancel')).status).toBe(200);
    expect((await begin(link)).status).toBe(201);
  });
});
