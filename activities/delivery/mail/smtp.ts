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
  /** Bound of one send, from connecting to the server's last word. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
const submissionPort = 587;
const tlsPort = 465;

/**
 * Any mail server behind the port, one connection a message. TLS is used wherever the server has
 * it, and demanded where a password is sent (RFC 8314 §3). Once the server has taken the message
 * (RFC 5321 §6.1) nothing that comes after can fail it. The client is loaded here.
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

/** SMTP has no categories; that nobody wrote it by hand keeps vacation notes away (RFC 3834 §5). */
function messageOf({ to, subject, text, html }: Mail, from: string): SendMailOptions {
  return { from, to, subject, text, html, headers: { 'Auto-Submitted': 'auto-generated' } };
}

/**
 * The same for every try of a message, so that whoever gets it twice can tell (RFC 5322 §3.6.4).
 * The key itself names what the message is about, and stays here.
 */
function messageIdOf(idempotencyKey: string, from: string): string {
  const domain = /@([^@>]+)>?$/.exec(from)?.[1] ?? 'localhost';
  const digest = createHash('sha256').update(idempotencyKey).digest('hex');
  return `${digest.slice(0, 40)}@${domain}`;
}

/**
 * No password, a weak one, a wrong one, no TLS: ours to mend (RFC 4954 §6), wherever it is said.
 */
const ourFaults: ReadonlySet<number> = new Set([503, 530, 534, 535, 538]);

/**
 * A permanent refusal (5yz, RFC 5321 §4.2.1) of the receiver or of the content is one of the
 * message; of the sender, of the connection or of the password it is one of our settings.
 */
function failureOf(error: unknown): Failure {
  const { code, command, responseCode } = said(error);
  const isOfMessage = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE';
  const isForGood = responseCode !== undefined && responseCode >= 500;
  const isTooLarge = code === 'EMESSAGE' && responseCode === undefined;
  if (isTooLarge || (isForGood && isOfMessage && !ourFaults.has(responseCode))) {
    return new Failure('mail_rejected');
  }
  return providerDown('smtp', responseCode);
}

function said(error: unknown): { code?: unknown; command?: unknown; responseCode?: number } {
  if (!(error instanceof Error)) return {};
  const { code, command, responseCode }: Record<string, unknown> = { ...error };
  return { code, command, ...(typeof responseCode === 'number' ? { responseCode } : {}) };
}
