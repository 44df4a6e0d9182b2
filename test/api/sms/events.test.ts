import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smsReasonWords } from '../../../activities/delivery/sms/reasons.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer, type Session } from '../../support/http/client.ts';
import {
  anotherAccount,
  askCode,
  codeSession,
  newRange,
  outcome,
  sent,
} from '../../support/people/sms.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import {
  smsReport,
  twilioAccount,
  twilioSettings,
} from '../../support/stand-ins/phones/twilio-reports.ts';
import {
  startTwilio,
  type ReceivedSms,
  type TwilioStandIn,
} from '../../support/stand-ins/phones/twilio.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let provider: TwilioStandIn;
let api: SecondApi;
let account: Seed;

beforeAll(async () => {
  provider = await startTwilio(twilioAccount);
  api = await startSecondApi(twilioSettings(provider.url));
  account = await anotherAccount('sms-events');
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
  await db.end();
});

const newNumber = (): string => `${newRange()}0001`;
const ask = (to: Session, number: string, headers = {}): Promise<Answer> =>
  askCode(to, number, { headers, at: api.origin });
const sentTo = (number: string): ReceivedSms[] =>
  provider.messages.filter(({ to }) => to === number);

/** Returns a session with a code that was handed to the provider, and its message. */
async function messaged(): Promise<{ session: Session; number: string; message: ReceivedSms }> {
  const [session, number] = [await codeSession(account), newNumber()];
  expect(outcome(await ask(session, number))).toEqual(sent);
  const [message] = sentTo(number);
  if (!message) throw new Error('no message came');
  return { session, number, message };
}

const report = (message: ReceivedSms, status: string, errorCode?: number) =>
  smsReport(twilioAccount, message, status, errorCode);
const post = ({ path, ...request }: ReturnType<typeof report>, at = api.origin): Promise<Answer> =>
  call('POST', path, { ...request, at });
const told = (message: ReceivedSms, status: string, errorCode?: number): Promise<Answer> =>
  post(report(message, status, errorCode));

async function deliveryOf(session: Session): Promise<unknown[]> {
  const { rows } = await db.query(
    `SELECT delivery_send, delivery, delivery_reason FROM phone_codes
     WHERE link_session_id = $1 ORDER BY series DESC LIMIT 1`,
    [session.id],
  );
  return Object.values(Object(rows[0]));
}

/** Backdates the last send by a minute. */
const rest = (session: Session): Promise<unknown> =>
  db.query(
    `UPDATE phone_codes SET sent_at = sent_at - interval '1 minute' WHERE link_session_id = $1`,
    [session.id],
  );

describe('sms.events', () => {
  it('stores the delivery that is reported to the callback URL of each message', async () => {
    const { session, message } = await messaged();
    expect(message.statusCallback).toBe(`${baseUrl}/v2/sms/events?send=${session.id}.1.1`);
    expect(await deliveryOf(session)).toEqual([1, 'accepted', null]);
    const answer = await told(message, 'delivered');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await deliveryOf(session)).toEqual([1, 'delivered', null]);
  });

  it.each([
    ['queued accepted, sending accepted, sent sent, delivered delivered, sent delivered'],
    ['delivered delivered, undelivered:30003 delivered, failed:30008 delivered'],
    ['undelivered:30003 undelivered/unreachable, sent undelivered/unreachable'],
    ['undelivered:30005 undelivered/invalid_number, delivered delivered'],
    ['undelivered:30006 undelivered/landline, undelivered:30003 undelivered/landline'],
    ['undelivered:30004 undelivered/blocked'],
    ['undelivered:30007 undelivered/filtered'],
    ['failed:30450 failed/filtered'],
    ['failed:30036 failed/expired'],
    ['failed:30001 failed/rate_limited'],
    ['failed:99999 failed/unknown'],
    ['failed failed/unknown, constructor failed/unknown, nonsense failed/unknown'],
    ['read delivered'],
  ])('keeps the final delivery state in any order of reports: %s', async (words) => {
    const { session, message } = await messaged();
    for (const step of words.split(', ')) {
      const [said = '', kept = ''] = step.split(' ');
      const [status = '', code] = said.split(':');
      expect((await told(message, status, code ? Number(code) : undefined)).status).toBe(204);
      const [state, reason = null] = kept.split('/');
      expect(await deliveryOf(session), step).toEqual([1, state, reason]);
    }
  });

  it('counts a repeated or concurrent report once', async () => {
    const { message } = await messaged();
    const counted = async (): Promise<number> => {
      const { values } = await api.metrics.sms.deliveries.get();
      const found = values.find(({ labels }) => labels.reason === 'blocked');
      return found?.value ?? 0;
    };
    const before = await counted();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => told(message, 'undelivered', 30_004)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    expect(await counted()).toBe(before + 1);
  });

  it('rejects reports without a valid signature, and those of another message', async () => {
    const [{ session, message }, other] = [await messaged(), await messaged()];
    const good = report(message, 'undelivered', 30_006);
    const { 'x-twilio-signature': signature = '', ...unsigned } = good.headers;
    const signed = (text: string) => ({ ...unsigned, 'x-twilio-signature': text });
    const elsewhere = report(other.message, 'undelivered', 30_006);
    const forged = { ...twilioAccount, authToken: 'another-token' };
    const requests = [
      { ...good, headers: unsigned },
      { ...good, headers: signed('') },
      { ...good, headers: signed(`${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`) },
      { ...good, headers: signed(signature.toLowerCase()) },
      { ...good, raw: good.raw.replace('30006', '30005') },
      { ...good, raw: `${good.raw}&Extra=1` },
      { ...good, raw: `${good.raw}&MessageStatus=undelivered` },
      { ...good, raw: '' },
      { ...good, path: elsewhere.path },
      smsReport(forged, message, 'undelivered', 30_006),
    ];
    for (const request of requests) {
      const { status, body } = await post(request);
      expect([status, body['code']], JSON.stringify(request)).toEqual([401, 'credential_invalid']);
    }
    // Without a configured provider every report is rejected.
    expect((await post(good, baseUrl)).status).toBe(401);
    expect(await deliveryOf(session)).toEqual([1, 'accepted', null]);
    expect((await post(good)).status).toBe(204);
  });

  it('rejects requests without a message and those that are too large', async () => {
    const { message } = await messaged();
    const good = report(message, 'delivered');
    for (const send of ['', 'tc_1.1.1', `tc_${'0'.repeat(26)}.1`, `tc_${'0'.repeat(26)}.1.-1`]) {
      const path = `/v2/sms/events?send=${send}`;
      expect((await post({ ...good, path })).status, send).toBe(422);
    }
    const headers = { ...good.headers, 'x-twilio-signature': 'A'.repeat(201) };
    expect((await post({ ...good, headers })).status).toBe(422);
    expect((await post({ ...good, raw: 'x'.repeat(16 * 1024 + 1) })).status).toBe(413);
  });

  it('ignores reports about a message that was never sent', async () => {
    const { session, message } = await messaged();
    for (const [from, to] of [
      ['.1.1', '.1.2'],
      ['.1.1', '.2.1'],
      [session.id, `tc_${'0'.repeat(26)}`],
    ] as const) {
      const statusCallback = message.statusCallback?.replace(from, to) ?? null;
      expect((await told({ ...message, statusCallback }, 'failed', 30_006)).status).toBe(204);
    }
    expect(await deliveryOf(session)).toEqual([1, 'accepted', null]);
  });
});

describe('a code with a reported delivery', () => {
  it.each([
    ['landline', 30_006],
    ['invalid_number', 30_005],
  ] as const)('is not resent to a number that cannot receive it: %s', async (reason, code) => {
    const { session, number, message } = await messaged();
    await told(message, 'undelivered', code);
    await rest(session);
    const again = await ask(session, number);
    expect(again.status).toBe(422);
    expect(again.body['detail']).toEqual([
      { loc: ['body', 'phone_number'], msg: smsReasonWords[reason], type: 'sms_rejected' },
    ]);
    expect(sentTo(number)).toHaveLength(1);
    // Only that number is refused; another number gets its code.
    const other = newNumber();
    expect(outcome(await ask(session, other))).toEqual(sent);
    expect(await deliveryOf(session)).toEqual([2, 'accepted', null]);
  });

  it('is resent unchanged if the phone may be reachable later', async () => {
    const { session, number, message } = await messaged();
    await told(message, 'undelivered', 30_003);
    await rest(session);
    expect(outcome(await ask(session, number))).toEqual(sent);
    const [first, second] = sentTo(number);
    expect(second?.body).toBe(first?.body);
    expect(await deliveryOf(session)).toEqual([2, 'accepted', null]);
    // A late report on the first message does not affect the second.
    await told(message, 'delivered');
    expect(await deliveryOf(session)).toEqual([2, 'accepted', null]);
  });

  it('is refused at once by the provider, and the number is not tried again', async () => {
    const [session, number] = [await codeSession(account), newNumber()];
    const body = { code: 21_614, message: `not mobile: ${number}`, status: 400 };
    provider.failNext({ status: 400, body });
    const before = provider.requests.length;
    for (let tries = 0; tries < 2; tries += 1) {
      const { status, text } = await ask(session, number);
      expect(status).toBe(422);
      expect(text).toContain(smsReasonWords.landline);
      expect(text).not.toContain(number);
      await rest(session);
    }
    expect(provider.requests).toHaveLength(before + 1);
    expect(await deliveryOf(session)).toEqual([1, 'failed', 'landline']);
  });

  it('is not sent again if the provider has it but its answer was lost', async () => {
    const [session, number] = [await codeSession(account), newNumber()];
    const key = { 'idempotency-key': `sms-lost-${session.id}` };
    const before = provider.requests.length;
    provider.failNext('reset');
    expect(outcome(await ask(session, number, key))).toEqual([503, 'dependency_unavailable']);
    // The provider accepted it all the same, and reports on it.
    const form = new URLSearchParams(provider.requests[before]?.body.toString());
    const statusCallback = form.get('StatusCallback');
    const taken = { sid: 'SM1', to: number, from: form.get('From'), statusCallback };
    expect((await post(smsReport(twilioAccount, taken, 'sent'))).status).toBe(204);
    const again = await ask(session, number, key);
    expect(outcome(again)).toEqual(sent);
    expect(provider.requests).toHaveLength(before + 1);
  });

  it('is resent unchanged if it is unknown whether the first was accepted', async () => {
    const [session, number] = [await codeSession(account), newNumber()];
    const key = { 'idempotency-key': `sms-again-${session.id}` };
    const before = provider.requests.length;
    provider.failNext('reset', 3);
    for (let tries = 0; tries < 3; tries += 1)
      expect((await ask(session, number, key)).status).toBe(503);
    expect(outcome(await ask(session, number, key))).toEqual(sent);
    const bodies = provider.requests
      .slice(before)
      .map(({ body }) => new URLSearchParams(body.toString()).get('Body'));
    expect(bodies).toHaveLength(4);
    expect(new Set(bodies).size).toBe(1);
  });
});
