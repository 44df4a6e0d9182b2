import { createHash } from 'node:crypto';
import type { SendMailOptions } from 'nodemailer';
import { Failure } from '../../../workflows/failures.ts';
import { providerDown } from '../../vendors/provider.ts';
import { checkMail, type Mail, type Mailer } from './port.ts';

export interface SmtpOptions {
  /** `smtp://[user:password@]host[:port]`, or `smtps://` for TLS from the first byte. */
  readonly url: string;
  /** An address, or a name and an address in angle brackets. */
  readonly from: string;
  /** Milliseconds that one send may take, from the connection to the last response. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
const submissionPort = 587;
const tlsPort = 465;

/**
 * Returns a mailer for any SMTP server, with one connection per message. Uses TLS if the server
 * offers it, and requires TLS to send a password (RFC 8314 §3). Later errors do not matter once the
 * server has accepted the message (RFC 5321 §6.1). The SMTP client is loaded only here.
 */
export function createSmtpMailer({ url, from, timeoutMs = defaultTimeoutMs }: SmtpOptions): Mailer {
  const loaded = connect(url);
  loaded.catch(() => undefined);
  return {
    async send(mail) {
      checkMail(mail);
      const transport = await loaded;
      const messageId = messageIdOf(mail.idempotencyKey, from);
      try {
        await transport.sendMail({
          ...messageOf(mail, from),
          messageId: `<${messageId}>`,
          signal: AbortSignal.timeout(timeoutMs),
        });
        return { messageId };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

async function connect(address: string) {
  const { protocol, hostname, port, username, password } = new URL(address);
  const { createTransport } = await import('nodemailer');
  const secure = protocol === 'smtps:';
  const auth = username
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : undefined;
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port ? Number(port) : secure ? tlsPort : submissionPort,
    secure,
    requireTLS: !secure && auth !== undefined,
    ...(auth ? { auth } : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** `Auto-Submitted` prevents vacation replies (RFC 3834 §5). SMTP has no categories. */
function messageOf({ to, subject, text, html }: Mail, from: string): SendMailOptions {
  return { from, to, subject, text, html, headers: { 'Auto-Submitted': 'auto-generated' } };
}

/**
 * Returns the same id for every attempt, so that the recipient's server can detect duplicates (RFC
 * 5322 §3.6.4). It is a digest, since the key itself reveals the subject of the message.
 */
function messageIdOf(idempotencyKey: string, from: string): string {
  const domain = /@([^@>]+)>?$/.exec(from)?.[1] ?? 'localhost';
  const digest = createHash('sha256').update(idempotencyKey).digest('hex');
  return `${digest.slice(0, 40)}@${domain}`;
}

/**
 * Missing, weak or wrong password, or no TLS: faults of our settings (RFC 4954 §6), whatever
 * command they answer.
 */
const ourFaults: ReadonlySet<number> = new Set([503, 530, 534, 535, 538]);

/**
 * Maps an SMTP error to a failure. A permanent refusal (5yz, RFC 5321 §4.2.1) of the recipient or
 * the content rejects the message. A refusal of the sender, the connection or the password is a
 * fault of our settings.
 */
function failureOf(error: unknown): Failure {
  const { code, command, responseCode } = smtpErrorOf(error);
  const isOfMessage = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE';
  const isForGood = responseCode !== undefined && responseCode >= 500;
  const isTooLarge = code === 'EMESSAGE' && responseCode === undefined;
  if (isTooLarge || (isForGood && isOfMessage && !ourFaults.has(responseCode))) {
    return new Failure('mail_rejected');
  }
  return providerDown('smtp', responseCode);
}

function smtpErrorOf(error: unknown): { code?: unknown; command?: unknown; responseCode?: number } {
  if (!(error instanceof Error)) return {};
  const { code, command, responseCode }: Record<string, unknown> = { ...error };
  return { code, command, ...(typeof responseCode === 'number' ? { responseCode } : {}) };
}
