import { z } from 'zod';
import { wholeOf } from '../../runtime/config.ts';
import type { Outbox } from '../outbox.ts';
import { checkMail, type Mailer } from './port.ts';
import { readReportKey } from './reports.ts';
import { createSendgridMailer } from './sendgrid.ts';
import { createSmtpMailer } from './smtp.ts';

/** An address, alone or as `Name <address>`. */
const sender = z
  .string()
  .regex(
    /^(?:[^<>\p{C}"]{1,100} <[^\s<>@]{1,64}@[^\s<>@]{1,189}>|[^\s<>@]{1,64}@[^\s<>@]{1,189})$/u,
  );

/**
 * Settings of the mail provider: SendGrid or a mail server, completely set. Optional in
 * development.
 */
export const mailConfig = z.object({
  SENDGRID_API_KEY: z.string().startsWith('SG.').optional(),
  /** A sender that is verified with SendGrid. */
  SENDGRID_FROM: sender.optional(),
  SENDGRID_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** `smtp://[user:password@]host[:port]`; `smtps://` for TLS from the first byte. */
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, 'smtp:// or smtps:// with a host and no path; % as %25')
    .optional(),
  SMTP_FROM: sender.optional(),
});

/** Settings of the API for delivery reports of the mail provider. */
export const mailReportsConfig = z.object({
  /** Verification key of SendGrid's signed event webhook, as shown in SendGrid's settings. */
  SENDGRID_EVENT_PUBLIC_KEY: z
    .string()
    .transform((text, context) => {
      try {
        return readReportKey(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'base64 of a public key on P-256' });
        return z.NEVER;
      }
    })
    .optional(),
});

type MailConfig = z.output<typeof mailConfig> & { PROFILE: 'development' | 'production' };

/**
 * Returns the configured mailer; in development, without settings, the outbox.
 * @throws Error with one line that names every missing or conflicting setting; production requires
 *   one provider
 */
export function createMailer(config: MailConfig, outbox: Outbox): Mailer {
  const { SENDGRID_API_KEY, SENDGRID_FROM, SENDGRID_BASE_URL, SMTP_URL, SMTP_FROM } = config;
  const isSendgrid = Boolean(SENDGRID_API_KEY ?? SENDGRID_FROM ?? SENDGRID_BASE_URL);
  const isSmtp = Boolean(SMTP_URL ?? SMTP_FROM);
  if (isSendgrid && isSmtp) throw new Error('wrong settings: SENDGRID_… and SMTP_…: set one');
  const smtp = wholeOf({ SMTP_URL, SMTP_FROM });
  if (smtp) return createSmtpMailer({ url: smtp.SMTP_URL, from: smtp.SMTP_FROM });
  const sendgrid = wholeOf(
    { SENDGRID_API_KEY, SENDGRID_FROM },
    {
      isRequired: config.PROFILE === 'production' || isSendgrid,
      besides: isSendgrid ? '' : ' (or SMTP_URL, SMTP_FROM)',
    },
  );
  if (sendgrid) {
    return createSendgridMailer({
      apiKey: sendgrid.SENDGRID_API_KEY,
      from: sendgrid.SENDGRID_FROM,
      ...(SENDGRID_BASE_URL ? { baseUrl: SENDGRID_BASE_URL } : {}),
    });
  }
  return {
    async send(mail) {
      checkMail(mail);
      const { to, subject, text, html, idempotencyKey } = mail;
      return outbox.add({ channel: 'mail', recipient: to, subject, text, html, idempotencyKey });
    },
  };
}

/**
 * Rejects a path and a query, which would be silently ignored, and a bare `%` in user or password,
 * which cannot be decoded.
 */
function isSmtpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
  const isWhole = (url.username === '') === (url.password === '');
  if (!isDecodable(url.username) || !isDecodable(url.password)) return false;
  return isWhole && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
