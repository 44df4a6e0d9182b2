import sendgrid from '@sendgrid/mail';
import { Failure } from '../../workflows/failures.ts';
import type { Mailer } from './port.ts';

export interface SendgridOptions {
  readonly apiKey: string;
  readonly from: string;
  readonly baseUrl?: string;
}

/** The client itself has no time-out. */
const timeoutMs = 10_000;

interface SendgridClient {
  setApiKey(key: string): void;
  setDefaultRequest(name: string, value: unknown): unknown;
}

/** The provider's own client behind the port. */
export function createSendgridMailer(options: SendgridOptions): Mailer {
  const service = newService();
  const { client } = service as unknown as { client: SendgridClient };
  service.setApiKey(options.apiKey);
  service.setTimeout(timeoutMs);
  if (options.baseUrl) client.setDefaultRequest('baseUrl', options.baseUrl);
  return {
    async send(mail) {
      checkHeaders(mail.to, mail.subject);
      try {
        const [response] = await service.send({
          to: mail.to,
          from: options.from,
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          customArgs: { idempotency_key: mail.idempotencyKey },
          trackingSettings: {
            clickTracking: { enable: false, enableText: false },
            openTracking: { enable: false },
          },
        });
        return { messageId: String(response.headers['x-message-id'] ?? mail.idempotencyKey) };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

/** The package exports one ready-made service; a process may need another with its own settings. */
function newService(): typeof sendgrid {
  const Service = sendgrid.constructor as new () => typeof sendgrid;
  return new Service();
}

/** One address, one line: nothing a caller gives can add a header. */
function checkHeaders(to: string, subject: string): void {
  const isOneAddress = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,255}$/.test(to);
  if (!isOneAddress || /[\r\n]/.test(subject)) throw new Failure('mail_rejected');
}

function failureOf(error: unknown): Failure {
  const status = error instanceof Error && 'code' in error ? Number(error.code) : Number.NaN;
  const isFinal = status >= 400 && status < 500 && status !== 429 && status !== 408;
  if (isFinal) return new Failure('mail_rejected');
  return new Failure('dependency_unavailable', { retryAfterSeconds: 5 });
}
