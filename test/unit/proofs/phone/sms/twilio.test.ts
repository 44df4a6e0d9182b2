import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smsReasonWords } from '../../../../../activities/delivery/sms/reasons.ts';
import {
  createTwilioSender,
  type TwilioOptions,
} from '../../../../../activities/delivery/sms/twilio.ts';
import { startTwilio, type TwilioStandIn } from '../../../../support/stand-ins/phones/twilio.ts';
import { patienceMsWith } from '../../../../support/stand-ins/provider.ts';

const accountSid = `AC${'0a'.repeat(16)}`;
const authToken = 'not-to-be-seen-anywhere';
const service = `MG${'1b'.repeat(16)}`;
const message = {
  to: '+12025550123',
  text: '012345 is your code for Example App. Do not share it.\n\n@trust.test #012345',
  idempotencyKey: 'sms-code/tc_1/1/1',
  lifeMs: 600_000,
  reportTo: 'https://trust.test/v2/sms/events?send=tc_1.1.1',
};
let provider: TwilioStandIn;

beforeAll(async () => {
  const senders = ['+12025550199', 'Trust', service];
  provider = await startTwilio({ accountSid, authToken, senders });
});
afterAll(async () => provider.stop());

const sender = (options: Partial<TwilioOptions> = {}) =>
  createTwilioSender({
    accountSid,
    authToken,
    from: '+12025550199',
    baseUrl: provider.url,
    ...options,
  });
const faultOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no fault',
    (error: unknown) => error,
  );

describe('a text message', () => {
  it('arrives as written, with the remaining life of its code', async () => {
    const { messageId } = await sender().send(message);
    expect(provider.messages.at(-1)).toEqual({
      sid: messageId,
      to: message.to,
      from: '+12025550199',
      messagingServiceSid: null,
      body: message.text,
      validitySeconds: 600,
      statusCallback: message.reportTo,
    });
    expect(messageId).toMatch(/^SM[0-9a-f]{32}$/);
  });

  it.for([
    [1, 1],
    [59_001, 60],
    [600_000, 600],
    [10 * 3600_000 + 1, 36_000],
  ] as const)('of %d ms is passed on for %d seconds', async ([lifeMs, seconds]) => {
    await sender().send({ ...message, lifeMs });
    expect(provider.messages.at(-1)?.validitySeconds).toBe(seconds);
  });

  it('arrives in every script', async () => {
    const text = 'Überprüfung – проверка – 確認 😀 a+b&c=d%20\u0000';
    await sender().send({ ...message, text });
    expect(provider.messages.at(-1)?.body).toBe(text);
  });

  it('can be sent from a name or a messaging service', async () => {
    await sender({ from: 'Trust' }).send(message);
    expect(provider.messages.at(-1)).toMatchObject({ from: 'Trust', messagingServiceSid: null });
    await sender({ from: service }).send(message);
    expect(provider.messages.at(-1)).toMatchObject({ from: null, messagingServiceSid: service });
  });

  it('is posted below a base URL with a path and a trailing slash', async () => {
    const before = provider.requests.length;
    await faultOf(sender({ baseUrl: `${provider.url}/proxy/` }).send(message));
    expect(provider.requests.slice(before).map(({ path }) => path)).toEqual([
      `/proxy/2010-04-01/Accounts/${accountSid}/Messages.json`,
    ]);
  });

  it('can be sent many times in parallel, each with its own id', async () => {
    const one = sender();
    const sent = await Promise.all(Array.from({ length: 20 }, async () => one.send(message)));
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(20);
  });
});

describe('a text message that is refused before sending', () => {
  it.for([
    '',
    '12025550123',
    '+0',
    '+1202555012345678',
    '+12025550123\r\nX: y',
    '+12025550123&To=%2B1',
    ' +12025550123',
    '+١٢٠٢٥٥٥٠١٢٣',
    'whatsapp:+12025550123',
    `+1${'2'.repeat(1_000_000)}`,
    '+1202555😀',
  ])('has an invalid number (%#)', async (to) => {
    const before = provider.requests.length;
    const fault = await faultOf(sender().send({ ...message, to }));
    expect(fault).toMatchObject({ code: 'sms_rejected' });
    expect(provider.requests.length).toBe(before);
    if (to) expect(inspect(fault, { depth: Infinity })).not.toContain(to);
  });

  it.for(['', '  \n ', 'x'.repeat(1601), '😀'.repeat(1_000_000)])(
    'has an invalid text (%#)',
    async (text) => {
      const fault = await faultOf(sender().send({ ...message, text }));
      expect(fault).toMatchObject({ code: 'sms_rejected' });
    },
  );
});

describe('Twilio', () => {
  it.for([
    ['+15005550001', 'invalid_number'],
    ['+15005550002', 'unreachable'],
    ['+15005550003', 'not_served'],
    ['+15005550004', 'blocked'],
    ['+15005550009', 'landline'],
  ])(
    'refuses the test number %s permanently: %s, and the error does not contain it',
    async ([to, why]) => {
      const before = provider.requests.length;
      const fault = await faultOf(sender().send({ ...message, to: String(to) }));
      expect(fault).toMatchObject({ code: 'sms_rejected', extra: { reason: why } });
      expect(provider.requests.length).toBe(before + 1);
      expect(inspect(fault, { depth: Infinity, showHidden: true })).not.toContain(to);
    },
  );

  it.for([
    [21_214, 'unreachable'],
    [21_217, 'invalid_number'],
    [21_265, 'invalid_number'],
    [21_266, 'invalid_number'],
    [21_421, 'invalid_number'],
    [21_608, 'not_served'],
    [21_635, 'landline'],
  ] as const)('refuses for good with code %d: %s', async ([code, reason]) => {
    const body = { code, message: `no way to ${message.to}`, more_info: '', status: 400 };
    provider.failNext({ status: 400, body });
    expect(await faultOf(sender().send(message))).toMatchObject({
      code: 'sms_rejected',
      message: smsReasonWords[reason],
      extra: { reason },
    });
  });

  it.for([21_611, 14_107, 63_038])('is retried later when its queue is full: %d', async (code) => {
    provider.failNext({ status: 400, body: { code, message: 'too many', status: 400 } });
    expect(await faultOf(sender().send(message))).toMatchObject({
      code: 'dependency_unavailable',
      retryAfterSeconds: 30,
    });
  });

  it('is retried when our token, account or sender is wrong', async () => {
    const later = { code: 'dependency_unavailable', retryAfterSeconds: 5 };
    expect(await faultOf(sender({ authToken: 'wrong' }).send(message))).toMatchObject(later);
    const other = sender({ accountSid: `AC${'f'.repeat(32)}` });
    expect(await faultOf(other.send(message))).toMatchObject(later);
    const fault = await faultOf(sender({ from: '+12025550111' }).send(message));
    expect(fault).toMatchObject({ ...later, cause: { message: 'twilio, code 21606: 400' } });
  });

  it.for([
    [429, { 'Retry-After': '17' }, 17],
    [429, {}, 30],
    [500, {}, 5],
    [503, { 'Retry-After': '0' }, 1],
    [503, { 'Retry-After': '7200' }, 3600],
  ] as const)(
    'is retried after the requested time when it answers %d',
    async ([status, headers, seconds]) => {
      const before = provider.requests.length;
      provider.failNext({ status, headers, body: { code: 20_429, message: 'Too Many Requests' } });
      expect(await faultOf(sender().send(message))).toMatchObject({
        code: 'dependency_unavailable',
        retryAfterSeconds: seconds,
      });
      expect(provider.requests.length).toBe(before + 1);
    },
  );

  it.for(['hang', 'reset', 'trickle'] as const)(
    'times out or fails as unavailable on %s',
    async (fault) => {
      provider.failNext(fault);
      expect(
        await faultOf(sender({ timeoutMs: patienceMsWith(fault) }).send(message)),
      ).toMatchObject({
        code: 'dependency_unavailable',
      });
      provider.recover();
      expect((await sender().send(message)).messageId).toMatch(/^SM/);
    },
  );

  it('is reported as unavailable on a refused connection, a redirect or a malformed answer', async () => {
    const down = { code: 'dependency_unavailable' };
    const away = sender({ baseUrl: 'http://127.0.0.1:1' });
    expect(await faultOf(away.send(message))).toMatchObject(down);
    provider.failNext({ status: 307, headers: { Location: provider.url } });
    expect(await faultOf(sender().send(message))).toMatchObject(down);
    for (const body of [undefined, 'a string', { code: 'x' }, []]) {
      provider.failNext({ status: 400, body });
      expect(await faultOf(sender().send(message))).toMatchObject(down);
    }
  });

  it('causes errors without the token, the recipient or the code', async () => {
    const told = { code: 21_606, message: JSON.stringify({ ...message, authToken }), status: 400 };
    const faults = ['hang', 'reset', { status: 500, body: told }, { status: 400, body: told }];
    for (const fault of faults as ('hang' | 'reset' | { status: number; body: unknown })[]) {
      provider.recover();
      provider.failNext(fault);
      const thrown = await faultOf(sender({ timeoutMs: patienceMsWith(fault) }).send(message));
      const shown = inspect(thrown, { depth: Infinity, showHidden: true });
      for (const hidden of [authToken, accountSid, message.to, '012345']) {
        expect(shown).not.toContain(hidden);
      }
    }
  });
});
