import type sendgrid from '@sendgrid/mail';
import { Failure } from '../../../workflows/failures.ts';
import { providerDown } from '../../vendors/provider.ts';
import { checkMail, type Mail, type Mailer } from './port.ts';

export interface SendgridOptions {
  readonly apiKey: string;
  /** An address, or a name and an address in angle brackets. */
  readonly from: string;
  /** Base URL of the provider, if not its public one. */
  readonly baseUrl?: string;
  /** Milliseconds that one send may take. The SendGrid client has no such limit. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
const answerBytesMax = 1_000_000;

/** Returns a mailer that uses SendGrid's client, which is loaded only here. */
export function createSendgridMailer(options: SendgridOptions): Mailer {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const loaded = connect(options, timeoutMs);
  loaded.catch(() => undefined);
  return {
    async send(mail) {
      checkMail(mail);
      const service = await loaded;
      try {
        const [response] = await service.send(messageOf(mail, options.from));
        const id: unknown = response.headers['x-message-id'];
        return { messageId: typeof id === 'string' && id !== '' ? id : mail.idempotencyKey };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

type Message = Parameters<typeof sendgrid.send>[0];

/** Tracking is off: it rewrites links, which would reveal their tokens to the provider. */
function messageOf(
  { to, subject, text, html, idempotencyKey, category }: Mail,
  from: string,
): Message {
  return {
    from,
    subject,
    text,
    html,
    personalizations: [{ to: { email: to }, customArgs: { idempotency_key: idempotencyKey } }],
    ...(category ? { categories: [category] } : {}),
    trackingSettings: {
      clickTracking: { enable: false, enableText: false },
      openTracking: { enable: false },
    },
  };
}

interface Service {
  readonly send: (message: Message) => ReturnType<typeof sendgrid.send>;
  readonly setApiKey: (key: string) => void;
  readonly client: {
    setDefaultRequest(defaults: Readonly<Record<string, unknown>>): unknown;
    createRequest(data: object): object;
  };
}

/** Creates a client of our own, since the one that the package exports is shared by the process. */
async function connect({ apiKey, baseUrl }: SendgridOptions, timeoutMs: number): Promise<Service> {
  const { default: readyMade } = await import('@sendgrid/mail');
  const service: unknown = Reflect.construct(readyMade.constructor, []);
  if (!isService(service)) throw new Error('the SendGrid client has changed its form');
  service.setApiKey(apiKey);
  service.client.setDefaultRequest({
    timeout: timeoutMs,
    maxRedirects: 0,
    maxContentLength: answerBytesMax,
    ...(baseUrl ? { baseUrl } : {}),
  });
  const { client } = service;
  const createRequest = client.createRequest.bind(client);
  // The client has no other way to set a signal, and its timeout limits only silence.
  client.createRequest = (data) => ({
    ...createRequest(data),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return service;
}

function isService(made: unknown): made is Service {
  const service = Object(made);
  return (
    typeof service.send === 'function' &&
    typeof service.setApiKey === 'function' &&
    typeof service.client?.setDefaultRequest === 'function' &&
    typeof service.client.createRequest === 'function'
  );
}

/**
 * 401 and 403 concern our key, our credits or a temporary block, not the message. It can be sent
 * once the cause is fixed.
 */
const ourFaults: ReadonlySet<number> = new Set([401, 403, 408, 429]);

function failureOf(error: unknown): Failure {
  const isAnswer = error instanceof Error && 'code' in error && typeof error.code === 'number';
  if (!isAnswer) return providerDown('sendgrid', undefined);
  const status = Number(error.code);
  if (status >= 400 && status < 500 && !ourFaults.has(status)) return new Failure('mail_rejected');
  return providerDown('sendgrid', status, headersOf(error));
}

function headersOf(error: Error): Record<string, unknown> {
  const response: unknown = 'response' in error ? error.response : undefined;
  const isObject = typeof response === 'object' && response !== null && 'headers' in response;
  return isObject ? { ...Object(response.headers) } : {};
}
