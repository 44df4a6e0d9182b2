import type { RequestClient, Twilio } from 'twilio';
import { Failure } from '../../workflows/failures.ts';
import { providerDown, within } from '../provider.ts';
import { checkSms, type SmsSender } from './port.ts';

export interface TwilioOptions {
  readonly accountSid: string;
  readonly authToken: string;
  /** A number of the account, a sender name, or the id of a messaging service (`MG…`). */
  readonly from: string;
  /** Where the provider answers, when not at its public address. */
  readonly baseUrl?: string;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 8_000;
/** What the provider has not passed on by then is dropped: a code would be dead. */
const validitySeconds = 600;
/**
 * Receivers that can never be reached: not valid, not reachable from here, a short code, our own
 * number, a region that is closed, opted out, not mobile, a landline, not verified in a trial.
 */
const rejectedCodes: ReadonlySet<number> = new Set([
  21_211, 21_214, 21_217, 21_265, 21_266, 21_408, 21_421, 21_608, 21_610, 21_612, 21_614, 21_635,
]);

/** The provider's own client behind the port. It is loaded here, where it is used. */
export function createTwilioSender(options: TwilioOptions): SmsSender {
  const { from, timeoutMs = defaultTimeoutMs } = options;
  const sender = /^MG[0-9a-f]{32}$/i.test(from) ? { messagingServiceSid: from } : { from };
  const loaded = connect(options, timeoutMs);
  loaded.catch(() => undefined);
  return {
    async send(message) {
      checkSms(message);
      const { to, text: body } = message;
      const client = await loaded;
      try {
        const created = client.messages.create({
          to,
          ...sender,
          body,
          validityPeriod: validitySeconds,
        });
        return { messageId: (await within(timeoutMs, created)).sid };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

async function connect(options: TwilioOptions, timeoutMs: number): Promise<Twilio> {
  const { default: twilio } = await import('twilio');
  const httpClient = new twilio.RequestClient({ timeout: timeoutMs });
  watch(httpClient, options.baseUrl);
  return twilio(options.accountSid, options.authToken, { httpClient });
}

/**
 * The client has no setting for its address and drops the headers of a refusal: its HTTP client is
 * where the address is put in and where `Retry-After` can still be read.
 */
function watch(httpClient: RequestClient, baseUrl: string | undefined): void {
  const send = httpClient.request.bind(httpClient);
  httpClient.request = async (request) => {
    const { pathname, search } = new URL(request.uri);
    const uri = baseUrl ? `${baseUrl.replace(/\/+$/, '')}${pathname}${search}` : request.uri;
    const response = await send({ ...request, uri });
    const { statusCode, headers } = response;
    if (statusCode === 429 || statusCode >= 500) {
      throw providerDown('twilio', statusCode, { ...Object(headers) });
    }
    return response;
  };
}

/** The provider's message can quote the number: only its code is kept. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error && 'status' in error)) return providerDown('twilio', undefined);
  const code = 'code' in error ? Number(error.code) : Number.NaN;
  if (rejectedCodes.has(code)) return new Failure('sms_rejected');
  return providerDown(
    `twilio, code ${Number.isInteger(code) ? code : 'none'}`,
    Number(error.status),
  );
}
