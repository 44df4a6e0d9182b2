import { z } from 'zod';
import type { Outbox } from '../outbox.ts';
import type { SmsSender } from './port.ts';
import { createTwilioSender } from './twilio.ts';

export const smsConfig = z.object({
  TWILIO_ACCOUNT_SID: z.string().optional(),
  TWILIO_AUTH_TOKEN: z.string().optional(),
  TWILIO_FROM: z.string().optional(),
  TWILIO_BASE_URL: z.url().optional(),
});

/** The configured sender; in development the outbox stands in. Production must have a provider. */
export function createSmsSender(
  config: z.output<typeof smsConfig> & { PROFILE: 'development' | 'production' },
  outbox: Outbox,
): SmsSender {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM, TWILIO_BASE_URL } = config;
  if (TWILIO_ACCOUNT_SID && TWILIO_AUTH_TOKEN && TWILIO_FROM) {
    return createTwilioSender({
      accountSid: TWILIO_ACCOUNT_SID,
      authToken: TWILIO_AUTH_TOKEN,
      from: TWILIO_FROM,
      ...(TWILIO_BASE_URL ? { baseUrl: TWILIO_BASE_URL } : {}),
    });
  }
  if (config.PROFILE === 'production') {
    throw new Error('wrong settings: TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM: required');
  }
  return {
    send: ({ to, text, idempotencyKey }) =>
      outbox.add({
        channel: 'sms',
        recipient: to,
        subject: null,
        text,
        html: null,
        idempotencyKey,
      }),
  };
}
