import { z } from 'zod';
import { wholeOf } from '../../runtime/config.ts';
import type { Outbox } from '../outbox.ts';
import { checkSms, type SmsSender } from './port.ts';
import { createTwilioSender } from './twilio.ts';

/** Settings of the provider of text messages. */
export const smsConfig = z.object({
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/i)
    .optional()
    .describe(
      'Twilio account for text messages, set together with `TWILIO_AUTH_TOKEN` and ' +
        '`TWILIO_FROM`. Required in production. Without them, the API in development uses ' +
        'the outbox.',
    ),
  TWILIO_AUTH_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Auth token of the Twilio account. It also verifies the reports that Twilio posts ' +
        'to `BASE_URL/v2/sms/events`.',
    ),
  TWILIO_FROM: z
    .string()
    .regex(/^(?:\+[1-9]\d{6,14}|\d{3,8}|MG[0-9a-fA-F]{32}|(?=.*[A-Za-z])[A-Za-z0-9 +_&-]{1,11})$/)
    .optional()
    .describe(
      'Sender of text messages: a number in E.164, a short code, a sender name, or a ' +
        'messaging service (`MG…`).',
    ),
  TWILIO_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of the Twilio API. Without it, the API uses the public address of Twilio.'),
});

/**
 * Returns the configured sender; in development, without settings, the outbox.
 * @throws Error with one line that names every missing setting; production requires a provider
 */
export function createSmsSender(
  config: z.output<typeof smsConfig> & { PROFILE: 'development' | 'production' },
  outbox: Outbox,
): SmsSender {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM, TWILIO_BASE_URL } = config;
  const isRequired = config.PROFILE === 'production' || TWILIO_BASE_URL !== undefined;
  const set = wholeOf({ TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM }, { isRequired });
  if (set) {
    return createTwilioSender({
      accountSid: set.TWILIO_ACCOUNT_SID,
      authToken: set.TWILIO_AUTH_TOKEN,
      from: set.TWILIO_FROM,
      ...(TWILIO_BASE_URL ? { baseUrl: TWILIO_BASE_URL } : {}),
    });
  }
  return {
    isReport: async () => false,
    async send(message) {
      checkSms(message);
      const { to: recipient, text, idempotencyKey } = message;
      return outbox.add({
        channel: 'sms',
        recipient,
        subject: null,
        text,
        html: null,
        idempotencyKey,
      });
    },
  };
}
