import { describe, expect, inject, it } from 'vitest';
import { beginSession, call, newLink, type Answer } from '../../client.ts';
import { eventually, openTestDb } from '../../harness.ts';
import { startSecondApi } from '../../second-api.ts';

const { own, databaseUrl } = inject('platform');
const taken = [409, 'link_not_active'];
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

let keys = 0;

/** Begins as its callers are told to: the same request again while the platform says 503. */
async function begin(link: string): Promise<Answer> {
  keys += 1;
  const headers = { 'idempotency-key': `uses-${process.pid}-${keys}` };
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

/** Cancels a session and waits until it is: asked again after a 503 it may be so already. */
async function cancel(session: Answer): Promise<void> {
  await stepOf(session, 'cancel');
  const path = `/v2/trust-checks/${String(session.body['link_session_id'])}`;
  await eventually('the end', async () => {
    const { body } = await call('GET', path, { token: own.api_key });
    return body['status'] === 'canceled';
  });
}

async function age(link: string, days: number): Promise<void> {
  const db = openTestDb(databaseUrl);
  await db.query(
    `UPDATE trust_checks SET created_at = created_at - make_interval(days => $2)
     WHERE link_uuid = $1`,
    [link, days],
  );
  await db.end();
}

describe('the uses of a reusable link', () => {
  it('are taken at the beginning: of fifty callers three begin on three uses', async () => {
    const link = await newLink({ max_uses: 3 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => begin(link)));
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.map(outcome)).toEqual(Array.from({ length: 47 }, () => taken));
    const db = openTestDb(databaseUrl);
    const { rows } = await db.query('SELECT 1 FROM trust_checks WHERE link_uuid = $1', [link]);
    await db.end();
    expect(rows).toHaveLength(3);
  });

  it('are given back by an end that used nothing, and only by that', async () => {
    const link = await newLink({ max_uses: 2 });
    const [first, second] = [await begin(link), await begin(link)];
    expect(outcome(await begin(link))).toEqual(taken);
    await cancel(first);
    const third = await begin(link);
    expect(third.status).toBe(201);
    await stepOf(second, 'open');
    await stepOf(second, 'pair');
    const declined = await stepOf(second, 'consent', { accepted: false, tos_version: '1' });
    expect(declined.body['status']).toBe('declined');
    expect(outcome(await begin(link))).toEqual(taken);
    await cancel(third);
    expect((await begin(link)).status).toBe(201);
  });

  it('are without number where no number was set', async () => {
    const link = await newLink();
    const answers = await Promise.all([begin(link), begin(link), begin(link)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('are not lost to a session whose workflow was never started', async () => {
    // Nothing listens on port 9 (discard).
    const away = await startSecondApi({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
    try {
      const link = await newLink({ max_uses: 1 });
      const refused = await call('POST', '/v2/trust-checks', {
        body: { link_uuid: link, client: 'web' },
        at: away.origin,
      });
      expect(outcome(refused)).toEqual([503, 'dependency_unavailable']);
      expect(outcome(await begin(link))).toEqual(taken);
      await age(link, 5);
      expect((await begin(link)).status).toBe(201);
    } finally {
      await away.stop();
    }
  });

  it('stay taken by an old session that somebody has opened', async () => {
    const link = await newLink({ max_uses: 1 });
    const session = await beginSession(link);
    await session.lead('open');
    await age(link, 5);
    expect(outcome(await begin(link))).toEqual(taken);
  });
});
