import { z } from 'zod';
import type { Outbox } from '../outbox.ts';
import type { Mailer } from './port.ts';
import { createSendgridMailer } from './sendgrid.ts';

export const mailConfig = z.object({
  SENDGRID_API_KEY: z.string().optional(),
  SENDGRID_FROM: z.string().optional(),
  SENDGRID_BASE_URL: z.url().optional(),
});

/** The configured mailer; in development the outbox stands in. Production must have a provider. */
export function createMailer(
  config: z.output<typeof mailConfig> & { PROFILE: 'development' | 'production' },
  outbox: Outbox,
): Mailer {
  const { SENDGRID_API_KEY, SENDGRID_FROM, SENDGRID_BASE_URL } = config;
  if (SENDGRID_API_KEY && SENDGRID_FROM) {
    return createSendgridMailer({
      apiKey: SENDGRID_API_KEY,
      from: SENDGRID_FROM,
      ...(SENDGRID_BASE_URL ? { baseUrl: SENDGRID_BASE_URL } : {}),
    });
  }
  if (config.PROFILE === 'production') {
    throw new Error('wrong settings: SENDGRID_API_KEY, SENDGRID_FROM: required');
  }
  return {
    send: ({ to, subject, text, html, idempotencyKey }) =>
      outbox.add({ channel: 'mail', recipient: to, subject, text, html, idempotencyKey }),
  };
}
