import { describe, expect, it } from 'vitest';
import type { OutboxMessage } from '../../../../../activities/delivery/outbox.ts';
import { createSmsSender, smsConfig } from '../../../../../activities/delivery/sms/config.ts';

const kept: OutboxMessage[] = [];
const outbox = {
  add: async (message: OutboxMessage) => {
    kept.push(message);
    return { messageId: `msg_${kept.length}` };
  },
};
const whole = {
  TWILIO_ACCOUNT_SID: `AC${'0a'.repeat(16)}`,
  TWILIO_AUTH_TOKEN: 'not-to-be-seen',
  TWILIO_FROM: '+12025550199',
};

describe('the SMS sender of a process', () => {
  it('is the outbox in development, with the same rules', async () => {
    const sender = createSmsSender({ PROFILE: 'development' }, outbox);
    const message = {
      to: '+12025550123',
      text: 'text',
      idempotencyKey: 'sms-code/1',
      lifeMs: 1000,
      reportTo: 'https://trust.test/v2/sms/events?send=tc_1.1.1',
    };
    expect(await sender.send(message)).toEqual({ messageId: 'msg_1' });
    expect(kept).toEqual([
      {
        channel: 'sms',
        recipient: '+12025550123',
        subject: null,
        text: 'text',
        html: null,
        idempotencyKey: 'sms-code/1',
      },
    ]);
    for (const to of ['12025550123', '+12025550123\n', 'anna@example.test']) {
      await expect(sender.send({ ...message, to })).rejects.toMatchObject({ code: 'sms_rejected' });
    }
    expect(kept).toHaveLength(1);
  });

  it('is not the outbox in production', () => {
    expect(() => createSmsSender({ PROFILE: 'production' }, outbox)).toThrow(
      'wrong settings: TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM: required',
    );
  });

  it.for(Object.keys(whole))('is refused without %s, and the error shows no value', (name) => {
    const partial = Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
    for (const PROFILE of ['development', 'production'] as const) {
      let fault = '';
      try {
        createSmsSender({ PROFILE, ...partial }, outbox);
      } catch (error) {
        fault = String(error);
      }
      expect(fault).toBe(`Error: wrong settings: ${name}: required`);
    }
  });

  it('is Twilio when all its settings are set', () => {
    for (const PROFILE of ['development', 'production'] as const) {
      expect(() => createSmsSender({ PROFILE, ...whole }, outbox)).not.toThrow();
    }
  });

  it.for([
    ['TWILIO_FROM', '+12025550199', true],
    ['TWILIO_FROM', '12345', true],
    ['TWILIO_FROM', 'Trust Check', true],
    ['TWILIO_FROM', `MG${'1b'.repeat(16)}`, true],
    ['TWILIO_FROM', 'a name that is too long', false],
    ['TWILIO_FROM', 'Trüst', false],
    ['TWILIO_FROM', '+0', false],
    ['TWILIO_FROM', '123456789', false],
    ['TWILIO_ACCOUNT_SID', 'SK0', false],
    ['TWILIO_ACCOUNT_SID', `AC${'0a'.repeat(16)}/../x`, false],
    ['TWILIO_AUTH_TOKEN', '', false],
    ['TWILIO_BASE_URL', 'file:///etc', false],
  ] as const)('accepts %s=%j: %s', ([name, value, isGood]) => {
    expect(smsConfig.safeParse({ ...whole, [name]: value }).success).toBe(isGood);
  });
});
