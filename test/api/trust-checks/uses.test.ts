import { describe, expect, inject, it } from 'vitest';
import { beginSession, call, newLink, type Answer } from '../../client.ts';
import { openTestDb } from '../../harness.ts';
import { startSecondApi } from '../../second-api.ts';

const { databaseUrl } = inject('platform');
const taken = [409, 'link_not_active'];
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

const begin = (link: string, at?: string): Promise<Answer> =>
  call('POST', '/v2/trust-checks', {
    body: { link_uuid: link, client: 'web' },
    ...(at === undefined ? {} : { at }),
  });

const stepOf = ({ body }: Answer, name: string, args: unknown = {}): Promise<Answer> =>
  call('POST', `/v2/trust-checks/${String(body['link_session_id'])}/${name}`, {
    token: String(body['check_token']),
    body: args,
  });

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
    // A workflow server that is slow says 503 of a session that has begun all the same.
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
    expect((await stepOf(first, 'cancel')).status).toBe(200);
    const third = await begin(link);
    expect(third.status).toBe(201);
    await stepOf(second, 'open');
    await stepOf(second, 'pair');
    const declined = await stepOf(second, 'consent', { accepted: false, tos_version: '1' });
    expect(declined.body['status']).toBe('declined');
    expect(outcome(await begin(link))).toEqual(taken);
    expect((await stepOf(third, 'cancel')).status).toBe(200);
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
      expect(outcome(await begin(link, away.origin))).toEqual([503, 'dependency_unavailable']);
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
    await session.step('open');
    await age(link, 5);
    expect(outcome(await begin(link))).toEqual(taken);
  });
});
