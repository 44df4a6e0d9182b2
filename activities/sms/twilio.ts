import twilio from 'twilio';
import { Failure } from '../../workflows/failures.ts';
import type { SmsSender } from './port.ts';

export interface TwilioOptions {
  readonly accountSid: string;
  readonly authToken: string;
  readonly from: string;
  /** Where the provider answers, when not at its public address. */
  readonly baseUrl?: string;
}

const timeoutMs = 8_000;
/** Numbers that can never be reached: not valid, not mobile, region closed, opted out. */
const rejectedCodes = new Set([21_211, 21_408, 21_610, 21_612, 21_614, 21_635]);

/** The provider's own client behind the port. */
export function createTwilioSender(options: TwilioOptions): SmsSender {
  const client = twilio(options.accountSid, options.authToken, { timeout: timeoutMs });
  if (options.baseUrl) redirectTo(client.httpClient, options.baseUrl);
  return {
    async send({ to, text }) {
      try {
        const sent = await client.messages.create({ to, from: options.from, body: text });
        return { messageId: sent.sid };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

/** The client has no setting for its address; its HTTP client takes any, so the host is put there. */
function redirectTo(
  httpClient: NonNullable<ReturnType<typeof twilio>['httpClient']>,
  baseUrl: string,
): void {
  const send = httpClient.request.bind(httpClient);
  httpClient.request = (request) => {
    const { pathname, search } = new URL(request.uri);
    return send({ ...request, uri: `${baseUrl}${pathname}${search}` });
  };
}

/** The provider's message can quote the number: only its code is kept. */
function failureOf(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? Number(error.code) : Number.NaN;
  if (rejectedCodes.has(code)) return new Failure('sms_rejected');
  return new Failure('dependency_unavailable', { retryAfterSeconds: 5 });
}
