import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../../api/metrics.ts';
import { countMessage } from '../../../../api/trust-checks/code/sms-limits.ts';
import { transaction, type Db } from '../../../../db/client.ts';
import { lockTrustCheck } from '../../../../db/queries/trust-checks.ts';
import { createSealer } from '../../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../../db/sealing/wrapper.ts';
import type { Answer } from '../../../support/http/client.ts';
import {
  codeSession,
  newRange,
  outcome,
  refused,
  sent,
  smsApis,
} from '../../../support/people/sms.ts';
import { createDatabase, eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { productionSettings } from '../../../support/platform/second-api.ts';
import { startTwilio } from '../../../support/stand-ins/phones/twilio.ts';

const { databaseUrl } = ownPlatform();

const { start, stop, another, send } = smsApis('sms-limits');

/** Returns the number of queries that wait for a row lock on a session. */
async function waitingFor(db: Db): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND query ILIKE '%FROM "trust_checks" %FOR UPDATE'`,
  );
  return rows[0]?.waiting ?? 0;
}

describe('text messages', () => {
  it('are limited per number and hour across sessions and accounts', async () => {
    await start({ SMS_PER_NUMBER_HOURLY_MAX: '2' });
    const [first, second] = [await another(), await another()];
    const number = `${newRange()}0001`;
    expect(outcome(await send(await codeSession(first), number))).toEqual(sent);
    expect(outcome(await send(await codeSession(second), number))).toEqual(sent);
    const late = await codeSession(first);
    expect(outcome(await send(late, number))).toEqual(refused);
    // The refusal does not count against the session.
    expect(outcome(await send(late, `${newRange()}0001`))).toEqual(sent);
  });

  it('are limited per range of numbers and hour', async () => {
    await start({ SMS_PER_RANGE_HOURLY_MAX: '3' });
    const account = await another();
    const range = newRange();
    for (const last of ['0001', '0002', '9999']) {
      expect(outcome(await send(await codeSession(account), `${range}${last}`))).toEqual(sent);
    }
    const late = await codeSession(await another());
    expect(outcome(await send(late, `${range}5000`))).toEqual(refused);
    expect(outcome(await send(late, `${newRange()}5000`))).toEqual(sent);
  });

  it.each(['SMS_PER_ACCOUNT_HOURLY_MAX', 'SMS_PER_ACCOUNT_DAILY_MAX'])(
    'of one account are limited by %s',
    async (name) => {
      await start({ [name]: '2' });
      const account = await another();
      for (let sends = 0; sends < 2; sends += 1) {
        expect(outcome(await send(await codeSession(account), `${newRange()}0001`))).toEqual(sent);
      }
      const number = `${newRange()}0001`;
      expect(outcome(await send(await codeSession(account), number))).toEqual(refused);
      expect(outcome(await send(await codeSession(await another()), number))).toEqual(sent);
    },
  );

  it('are refused with the same answer for every limit', async () => {
    await start({
      SMS_PER_NUMBER_HOURLY_MAX: '1',
      SMS_PER_ACCOUNT_HOURLY_MAX: '2',
    });
    const account = await another();
    const number = `${newRange()}0001`;
    await send(await codeSession(account), number);
    const byNumber = await send(await codeSession(await another()), number);
    await send(await codeSession(account), `${newRange()}0001`);
    const byAccount = await send(await codeSession(account), `${newRange()}0001`);
    const shown = ({ status, headers, body }: Answer) => ({
      status,
      retryAfter: headers.get('retry-after'),
      body: { ...body, request_id: '' },
    });
    expect(shown(byNumber)).toEqual(shown(byAccount));
    expect(outcome(byNumber)).toEqual(refused);
    expect(JSON.stringify(byNumber.body)).not.toContain(number.slice(-8));
  });

  it('count toward the limit even if the provider rejects the number', async () => {
    const number = `${newRange()}0001`;
    const account = {
      accountSid: `AC${'0'.repeat(32)}`,
      authToken: 'token-of-the-stand-in',
      senders: ['+15005550006'],
      unsubscribed: [number],
    };
    const twilio = await startTwilio(account);
    try {
      await start({
        SMS_PER_NUMBER_HOURLY_MAX: '2',
        TWILIO_ACCOUNT_SID: account.accountSid,
        TWILIO_AUTH_TOKEN: account.authToken,
        TWILIO_FROM: '+15005550006',
        TWILIO_BASE_URL: twilio.url,
      });
      const seed = await another();
      for (let sends = 0; sends < 2; sends += 1) {
        expect((await send(await codeSession(seed), number)).text).toContain('sms_rejected');
      }
      expect(outcome(await send(await codeSession(seed), number))).toEqual(refused);
    } finally {
      await twilio.stop();
    }
  });

  it('do not count if they were refused as too soon', async () => {
    await start({ SMS_PER_NUMBER_HOURLY_MAX: '2' });
    const account = await another();
    const number = `${newRange()}0001`;
    const eager = await codeSession(account);
    expect(outcome(await send(eager, number))).toEqual(sent);
    for (let tries = 0; tries < 4; tries += 1) {
      expect(outcome(await send(eager, number))).toEqual([429, 'resend_too_soon']);
    }
    expect(outcome(await send(await codeSession(account), number))).toEqual(sent);
    expect(outcome(await send(await codeSession(account), number))).toEqual(refused);
  });

  it('do not count if refused, even when one session sends concurrent requests', async () => {
    await start({ SMS_PER_NUMBER_HOURLY_MAX: '2' });
    const account = await another();
    const number = `${newRange()}0001`;
    const eager = await codeSession(account);
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(eager, number)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(outcome(await send(await codeSession(account), number))).toEqual(sent);
    expect(outcome(await send(await codeSession(account), number))).toEqual(refused);
  });

  it('count once when an outage makes the client repeat the request', async () => {
    const limits = { SMS_PER_NUMBER_HOURLY_MAX: '2' };
    const account = await another();
    const number = `${newRange()}0001`;
    const patient = await codeSession(account);
    const key = { 'idempotency-key': `sms-outage-${process.pid}` };
    await start({
      ...limits,
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'token',
      TWILIO_FROM: '+15005550006',
      // Nothing listens on port 9 (discard).
      TWILIO_BASE_URL: 'http://127.0.0.1:9',
    });
    for (let tries = 0; tries < 4; tries += 1) {
      expect(outcome(await send(patient, number, key))).toEqual([503, 'dependency_unavailable']);
    }
    await stop();
    await start(limits);
    expect(outcome(await send(patient, number, key))).toEqual(sent);
    expect(outcome(await send(await codeSession(account), number))).toEqual(sent);
    expect(outcome(await send(await codeSession(account), number))).toEqual(refused);
  });

  it('are counted in no limit if one of the limits cannot be counted', async () => {
    const { db, drop } = await createDatabase(databaseUrl);
    try {
      await db.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'the account cannot be counted'; END $$`);
      await db.query(`CREATE TRIGGER fail BEFORE INSERT ON rate_limits FOR EACH ROW
        WHEN (NEW.key LIKE 'sms-account-hour:%') EXECUTE FUNCTION fail()`);
      const deps = {
        sealer: createSealer(db, masterWrapper(randomBytes(32)), randomBytes(32)),
        settings: productionSettings(),
        telemetry: { metrics: createMetrics() },
      };
      const message = { to: '+491601234567', accountId: 1, address: '192.0.2.1' };
      const counted = transaction(db, (tx) => countMessage(tx, deps, message));
      await expect(counted).rejects.toThrow('cannot be counted');
      expect((await db.query('SELECT * FROM rate_limits')).rows).toEqual([]);
    } finally {
      await drop();
    }
  });

  it('of a session that resends too soon do not block other sessions', async () => {
    await start({ SMS_PER_ACCOUNT_HOURLY_MAX: '2', SMS_PER_RANGE_HOURLY_MAX: '2' });
    const account = await another();
    const range = newRange();
    const [eager, patient] = [await codeSession(account), await codeSession(account)];
    expect(outcome(await send(eager, `${range}0001`))).toEqual(sent);
    const db = openTestDb(databaseUrl);
    try {
      // The requests of the eager session wait for as long as its row is locked.
      const { others, burst } = await transaction(db, async (tx) => {
        await lockTrustCheck(tx, eager.id);
        const asked = Array.from({ length: 3 }, () => send(eager, `${range}0001`));
        await eventually('all of them to wait', async () => (await waitingFor(db)) >= 3);
        return { others: await send(patient, `${range}0002`), burst: asked };
      });
      expect(outcome(others)).toEqual(sent);
      const answers = await Promise.all(burst);
      expect(answers.map(outcome)).toEqual(burst.map(() => [429, 'resend_too_soon']));
    } finally {
      await db.end();
    }
  });

  it('are sent exactly up to the limit for concurrent requests', async () => {
    await start({ SMS_PER_NUMBER_HOURLY_MAX: '3' });
    const account = await another();
    const number = `${newRange()}0001`;
    const sessions = await Promise.all(Array.from({ length: 8 }, () => codeSession(account)));
    const answers = await Promise.all(sessions.map((each) => send(each, number)));
    const outcomes = answers.map(outcome).toSorted(([a], [b]) => Number(a) - Number(b));
    expect(outcomes).toEqual([sent, sent, sent, refused, refused, refused, refused, refused]);
  });
});
