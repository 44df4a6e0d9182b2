import { z } from 'zod';
import type { Outbox } from '../outbox.ts';
import { checkMail, type Mailer } from './port.ts';
import { createSendgridMailer } from './sendgrid.ts';

/** Settings of the mail provider: all of them, or in development none. */
export const mailConfig = z.object({
  SENDGRID_API_KEY: z.string().startsWith('SG.').optional(),
  /** An address the provider has verified, alone or as `Name <address>`. */
  SENDGRID_FROM: z
    .string()
    .regex(
      /^(?:[^<>\p{C}"]{1,100} <[^\s<>@]{1,64}@[^\s<>@]{1,189}>|[^\s<>@]{1,64}@[^\s<>@]{1,189})$/u,
    )
    .optional(),
  SENDGRID_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
});

/**
 * The configured mailer; in development the outbox stands in. Throws one line that names every
 * setting that is missing: production must have a provider, and nobody half of one.
 */
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
  const needed = { SENDGRID_API_KEY, SENDGRID_FROM };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value ? [] : [name]));
  if (config.PROFILE === 'production' || SENDGRID_API_KEY || SENDGRID_FROM || SENDGRID_BASE_URL) {
    throw new Error(`wrong settings: ${missing.join(', ')}: required`);
  }
  return {
    async send(mail) {
      checkMail(mail);
      const { to, subject, text, html, idempotencyKey } = mail;
      return outbox.add({ channel: 'mail', recipient: to, subject, text, html, idempotencyKey });
    },
  };
}
