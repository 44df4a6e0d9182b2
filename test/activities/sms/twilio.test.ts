import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSmsSender } from '../../../activities/sms/config.ts';
import type { SmsSender } from '../../../activities/sms/port.ts';
import { createTwilioSender } from '../../../activities/sms/twilio.ts';
import type { Provider } from '../../stand-ins/provider.ts';
import { refusedNumbers, startTwilio } from '../../stand-ins/twilio.ts';

const account = `AC${'0'.repeat(32)}`;
const message = { to: '+4915112345678', text: '012345 is your code', idempotencyKey: 'k' };
let provider: Provider;
let sender: SmsSender;

beforeAll(async () => {
  provider = await startTwilio(account, 'token');
  sender = createTwilioSender({
    accountSid: account,
    authToken: 'token',
    from: '+15005550006',
    baseUrl: provider.url,
  });
});
afterAll(() => provider.stop());

describe('SMS by the provider', () => {
  it('is taken', async () => {
    const { messageId } = await sender.send(message);
    expect(messageId).toMatch(/^SM\d{32}$/);
    expect(new URLSearchParams(provider.received.at(-1)?.body).get('Body')).toBe(message.text);
  });

  it.each(Object.keys(refusedNumbers))(
    'is refused for good for %s, without naming it',
    async (to) => {
      const error: unknown = await sender
        .send({ ...message, to })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'sms_rejected' });
      expect(JSON.stringify(error) + String(error)).not.toContain(to);
    },
  );

  it('fails for now on 429, 5xx and a broken line', async () => {
    for (const fault of [{ status: 429, body: {} }, { status: 500, body: {} }, 'reset'] as const) {
      provider.faults.push(fault);
      await expect(sender.send(message)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    }
  });
});

describe('the configured sender', () => {
  it('is never the outbox in production', () => {
    const outbox = { add: async () => ({ messageId: 'x' }) };
    expect(() => createSmsSender({ PROFILE: 'production' }, outbox)).toThrow('TWILIO_ACCOUNT_SID');
  });
});
