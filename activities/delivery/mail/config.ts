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

/** Settings of the mail provider: SendGrid or any mail server. */
export const mailConfig = z.object({
  SENDGRID_API_KEY: z
    .string()
    .startsWith('SG.')
    .optional()
    .describe(
      'API key of SendGrid, set together with `SENDGRID_FROM`. In production, set ' +
        'SendGrid or SMTP, not both. Without either, a worker in development uses the ' +
        'outbox.',
    ),
  SENDGRID_FROM: sender
    .optional()
    .describe(
      'Sender of mail through SendGrid: an address or `Name <address>` that SendGrid has ' +
        'verified.',
    ),
  SENDGRID_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of the SendGrid API. Without it, the worker uses the public address of SendGrid.',
    ),
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, 'smtp:// or smtps:// with a host and no path; % as %25')
    .optional()
    .describe(
      'Mail server, as `smtp://[user:password@]host[:port]` or `smtps://`, with special ' +
        'characters percent-encoded. The worker sends a password only over TLS. Requires ' +
        '`SMTP_FROM`.',
    ),
  SMTP_FROM: sender
    .optional()
    .describe('Sender of mail through SMTP: an address or `Name <address>`.'),
});

/** Settings of the reports of the mail provider. */
export const mailReportsConfig = z.object({
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
    .optional()
    .describe(
      'Verification key of the signed event webhook of SendGrid, which posts to ' +
        '`/v2/mail/events`. Without it, the status of an emailed link stays at `sent`.',
    ),
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
