import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteDelivery } from '../../../activities/links/note-delivery.ts';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { newApiKey, type Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import { addApiKey } from '../../../db/queries/seeding.ts';
import { prescreenRollupId } from '../../../workflows/prescreen-rollup/messages.ts';
import { call } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';
import { prescreening, type Prescreening } from './prescreening.ts';

const db = openTestDb(ownPlatform().databaseUrl);
let account: Seed;
let made: Prescreening;

beforeAll(async () => {
  account = await newAccount(`prescreen-${process.pid}`);
  made = prescreening(db, account);
});
afterAll(() => db.end());

describe('apps.prescreenSummary', () => {
  it('is empty and partial if nothing was ever counted', async () => {
    const { body } = await made.summary();
    expect(body).toMatchObject({
      account_id: account.account_id,
      job_id: null,
      refreshed_at: null,
      is_partial: true,
      funnel: { invited: 0, completed: 0 },
      rates: { open: null, start: null, completion: null, pass: null, end_to_end: null },
      durations: { total: { p50_s: null, p90_s: null, n: 0 } },
      failure_reasons: [],
      proofs: [],
      previous_period: { funnel: { invited: 0 }, rates: { open: null } },
    });
    const daily = body['daily'] as { date: string; invited: number }[];
    const today = new Date().toISOString().slice(0, 10);
    expect([daily.length, daily.at(-1)]).toEqual([
      30,
      { date: today, invited: 0, started: 0, completed: 0, passed: 0, failed: 0 },
    ]);
    expect([body['end_date'], body['start_date']]).toEqual([today, daily[0]?.date]);
  });

  it('is dated by its last rollup, even if an event sequence ran ahead of it', async () => {
    const busy = await newAccount(`busy-${process.pid}`);
    const counted = prescreening(db, busy);
    await counted.newCheck(await counted.newLink(), { status: 'opened', after: [1] });
    const before = new Date();
    const come = (by: number) =>
      db.query('UPDATE streams SET seq = seq + $2 WHERE stream = $1', [
        `account:${busy.account_id}`,
        by,
      ]);
    await come(1);
    await counted.roll();
    await come(-1);
    const { body } = await counted.summary();
    expect(body['funnel']).toMatchObject({ invited: 1, opened: 1 });
    expect(Date.parse(String(body['refreshed_at']))).toBeGreaterThanOrEqual(before.getTime());
  });

  it('counts each check by progress and outcome', async () => {
    const job = { job_id: '71' };
    await made.newCheck(await made.newLink(job), {
      status: 'passed',
      after: [10, 20, 30, 60, 100],
      proof: 'passed',
    });
    await made.newCheck(await made.newLink({ job_id: '72' }), {
      status: 'failed',
      after: [1000, 1001, 1002, 1003, 1004],
      reason: 'mismatch',
      proof: 'passed',
    });
    await made.newCheck(await made.newLink(job), {
      status: 'failed',
      after: [10, 20, 30, 60, 100],
      reason: 'proof_failed',
      proof: 'failed',
    });
    await made.newCheck(await made.newLink(job), {
      status: 'declined',
      after: [10, 20, 25],
      accepted: false,
    });
    await made.newCheck(await made.newLink(), { status: 'abandoned', after: [10, 20, 25] });
    await made.newCheck(await made.newLink(), { status: 'collecting', after: [10, 20, 25] });
    // Failed by the loss of its device, so it was never completed.
    await made.newCheck(await made.newLink(), {
      status: 'failed',
      after: [10, 20, 25],
      reason: 'attestation_failed',
    });
    const untouched = await made.newLink(job);
    const withdrawn = await made.newLink(job);
    const { api_key: token } = account;
    expect((await call('DELETE', `/v2/${withdrawn}`, { token })).status).toBe(200);
    // A second attempt on a single-use link counts as the same check in its latest state.
    await made.newCheck(untouched, { status: 'expired', after: [10] });
    const again = await made.newCheck(untouched, { status: 'created' });
    await db.query(
      "UPDATE trust_checks SET created_at = created_at + interval '1 s' WHERE link_session_id = $1",
      [again],
    );
    // This link is not of prescreening.
    await call('PUT', `/v2/link/${account.app_id}`, { token, body: {} });
    await made.roll();
    const { body } = await made.summary();
    expect(body['funnel']).toEqual({
      invited: 9,
      delivered: 0,
      opened: 7,
      started: 7,
      consented: 6,
      submitted: 3,
      completed: 3,
      passed: 1,
      failed: 3,
      declined: 1,
      abandoned: 1,
      expired: 0,
      canceled: 1,
      in_progress: 2,
      mismatched: 1,
    });
    expect(body['rates']).toEqual({
      open: 0.7778,
      start: 1,
      completion: 0.4286,
      pass: 0.25,
      end_to_end: 0.1111,
    });
    expect(body['failure_reasons']).toEqual([
      { reason_code: 'attestation_failed', count: 1 },
      { reason_code: 'mismatch', count: 1 },
      { reason_code: 'proof_failed', count: 1 },
    ]);
    expect(body['dropoff']).toEqual(
      [
        ['invited', 1],
        ['delivered', 0],
        ['opened', 0],
        ['started', 1],
        ['consented', 1],
        ['submitted', 0],
      ].map(([stage, count]) => ({ stage, count })),
    );
    expect(body['proofs']).toEqual([
      { type: 'phone', asked: 8, tried: 3, retried: 3, passed: 2, failed: 1 },
    ]);
    expect(body['platforms']).toEqual([
      { platform: 'ios', started: 0, passed: 0 },
      { platform: 'android', started: 0, passed: 0 },
      { platform: 'web', started: 7, passed: 1 },
    ]);
    const { open, total } = body['durations'] as Record<string, Record<string, number>>;
    expect([open?.['n'], total?.['n']]).toEqual([7, 3]);
    expect(Math.abs((open?.['p50_s'] ?? 0) - 10)).toBeLessThanOrEqual(1);
    expect(Math.abs((open?.['p90_s'] ?? 0) - 1000)).toBeLessThanOrEqual(100);
    expect(Math.abs((total?.['p50_s'] ?? 0) - 90)).toBeLessThanOrEqual(9);
    expect(made.warned).toEqual([]);
    // The summary contains only counts: no link, session, person or address.
    expect(JSON.stringify(body)).not.toMatch(/tc_|pu_|[0-9a-f]{8}-[0-9a-f]{4}|@|@example/);
  });

  it('filters by any id of a posting', async () => {
    expect(await made.funnel('job_id=72')).toMatchObject({ invited: 1, failed: 1, mismatched: 1 });
    expect(await made.funnel('job_id=71')).toMatchObject({ invited: 5, passed: 1, canceled: 1 });
    expect(await made.funnel('job_id=71,72,72,9')).toMatchObject({ invited: 6, completed: 3 });
    expect(await made.funnel('job_id=9')).toEqual({});
    const { body } = await made.summary('job_id=71,72');
    expect(body['job_id']).toBe('71,72');
  });

  it('recounts an earlier day when one of its checks changes', async () => {
    const link = await made.newLink();
    await db.query(
      `UPDATE links SET created_at = '2026-01-31T23:59:59.999Z' WHERE link_uuid = $1`,
      [link],
    );
    const check = await made.newCheck(link, { status: 'created' });
    await made.roll();
    const day = 'start_date=2026-01-31&end_date=2026-01-31';
    expect(await made.funnel(day)).toEqual({ invited: 1, in_progress: 1 });
    await db.query(
      `UPDATE trust_checks SET status = 'abandoned', opened_at = created_at + interval '1 h'
       WHERE link_session_id = $1`,
      [check],
    );
    expect(await made.funnel(day)).toMatchObject({ in_progress: 1 });
    await made.tell(check);
    await made.roll();
    expect(await made.funnel(day)).toEqual({ invited: 1, opened: 1, abandoned: 1 });
    expect(await made.funnel('start_date=2026-02-01&end_date=2026-02-28')).toEqual({});
    const { body } = await made.summary('start_date=2026-02-01&end_date=2026-02-28');
    expect(body).toMatchObject({
      is_partial: false,
      previous_period: { start_date: '2026-01-04', end_date: '2026-01-31', funnel: { invited: 1 } },
    });
  });

  it('counts each session of a reusable link', async () => {
    const link = await made.newLink({ single_use: false, job_id: '80' });
    await made.roll();
    expect(await made.funnel('job_id=80')).toEqual({});
    await made.newCheck(link, { status: 'passed', after: [1, 2, 3, 4, 5], proof: 'passed' });
    await made.newCheck(link, { status: 'expired' });
    await made.roll();
    expect(await made.funnel('job_id=80')).toMatchObject({ invited: 2, opened: 1, passed: 1 });
  });

  it('counts an emailed link as delivered after the delivery report', async () => {
    const path = `/v2/link/send/${account.app_id}`;
    const body = {
      link_type: 'prescreen',
      job_id: '81',
      required_proofs: ['phone'],
      send_to_email: 'someone@example.test',
    };
    const sent = await call('POST', path, { token: account.api_key, body });
    expect(sent.status, sent.text).toBe(200);
    const link = String(sent.body['link_uuid']);
    const undelivered = async (): Promise<boolean> => {
      await made.roll();
      return (await made.funnel('job_id=81'))['invited'] === 1;
    };
    await eventually('a count', undelivered);
    expect(await made.funnel('job_id=81')).toEqual({ invited: 1, in_progress: 1 });
    const deps = { db, ids: randomIds, clock: () => new Date() };
    const known = { deferred: 0, delivered: 1, bounced: 0, complained: 1 } as const;
    for (const status of ['deferred', 'delivered', 'bounced', 'complained'] as const) {
      await noteDelivery(deps, link, { status });
      await made.roll();
      const { delivered = 0 } = await made.funnel('job_id=81');
      expect([status, delivered]).toEqual([status, known[status]]);
    }
    // An opened link counts as delivered, although its mail bounced.
    await noteDelivery(deps, link, { status: 'bounced' });
    await made.newCheck(link, { status: 'opened', after: [1] });
    await made.roll();
    expect(await made.funnel('job_id=81')).toMatchObject({ delivered: 1, opened: 1 });
  });

  it('counts test checks only for keys of test mode', async () => {
    const link = await made.newLink({ job_id: '90' });
    await db.query('UPDATE links SET livemode = false WHERE link_uuid = $1', [link]);
    await made.newCheck(link, { status: 'created' });
    await made.roll();
    const { id, key } = newApiKey('test');
    const values = [id, account.account_id, 'test', hashApiKey(key), ['ADMIN'], false, new Date()];
    await addApiKey(db, values);
    expect(await made.funnel('job_id=90')).toEqual({});
    expect(await made.funnel('', key)).toMatchObject({ invited: 1 });
  });
});

describe('the rollup', () => {
  it('runs by the schedule of the workers and updates refreshed_at', async () => {
    const client = await connectClient();
    const schedule = client.schedule.getHandle(prescreenRollupId);
    const { policies, action } = await schedule.describe();
    expect(policies.overlap).toBe('SKIP');
    expect(action).toMatchObject({ workflowType: 'prescreenRollup' });
    await made.newLink({ job_id: '99' });
    const before = new Date();
    await schedule.trigger();
    await eventually('the count', async () => (await made.funnel('job_id=99'))['invited'] === 1);
    const isFresh = async (): Promise<boolean> => {
      const { body } = await made.summary();
      return new Date(String(body['refreshed_at'])) >= before;
    };
    await eventually('the mark', isFresh);
    await client.connection.close();
  });

  it('skips an account that cannot be counted and counts it the next time', async () => {
    await made.newLink({ job_id: '100' });
    const keep = (then: string): Promise<unknown> => db.query(then);
    const name = `no_days_${account.account_id}`;
    await keep(`ALTER TABLE prescreen_days ADD CONSTRAINT ${name}
      CHECK (account_id <> ${account.account_id}) NOT VALID`);
    try {
      await made.roll();
      expect(made.warned).toEqual([expect.objectContaining({ account_id: account.account_id })]);
      expect(await made.funnel('job_id=100')).toEqual({});
    } finally {
      await keep(`ALTER TABLE prescreen_days DROP CONSTRAINT ${name}`);
    }
    await Promise.all(Array.from({ length: 5 }, () => made.roll()));
    expect(await made.funnel('job_id=100')).toMatchObject({ invited: 1 });
  });
});
