import type { RequestClient, Twilio } from 'twilio';
import { Failure } from '../../../workflows/failures.ts';
import { providerDown, within } from '../../vendors/provider.ts';
import { isLoopback } from '../../vendors/secure-urls.ts';
import { checkSms, rejected, type SmsSender } from './port.ts';
import { reasonOfTwilio } from './reasons.ts';
import { isSignedReport } from './reports.ts';

export interface TwilioOptions {
  readonly accountSid: string;
  readonly authToken: string;
  /** A number of the account, a sender name, or the id of a messaging service (`MG…`). */
  readonly from: string;
  /** Base URL of the provider, if not its public one. */
  readonly baseUrl?: string;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 8_000;
/** Longest validity period that the provider accepts. */
const validitySecondsMax = 36_000;

/** Returns a sender that uses Twilio's client, which is loaded only here. */
export function createTwilioSender(options: TwilioOptions): SmsSender {
  const { from, timeoutMs = defaultTimeoutMs } = options;
  const sender = /^MG[0-9a-f]{32}$/i.test(from) ? { messagingServiceSid: from } : { from };
  const loaded = connect(options, timeoutMs);
  loaded.catch(() => undefined);
  return {
    async send(message) {
      checkSms(message);
      const { to, text: body, reportTo, lifeMs } = message;
      const validityPeriod = Math.min(Math.max(1, Math.ceil(lifeMs / 1000)), validitySecondsMax);
      const client = await loaded;
      try {
        const created = client.messages.create({
          to,
          ...sender,
          body,
          validityPeriod,
          ...(isReached(reportTo, options) ? { statusCallback: reportTo } : {}),
        });
        return { messageId: (await within(timeoutMs, created)).sid };
      } catch (error) {
        throw failureOf(error);
      }
    },
    isReport: (report) => isSignedReport(options.authToken, report),
  };
}

/** Twilio refuses a message with a callback to this machine; a stand-in accepts it. */
const isReached = (url: string, { baseUrl }: TwilioOptions): boolean =>
  baseUrl !== undefined || !isLoopback(new URL(url).hostname);

async function connect(options: TwilioOptions, timeoutMs: number): Promise<Twilio> {
  const { default: twilio } = await import('twilio');
  const httpClient = new twilio.RequestClient({ timeout: timeoutMs });
  watch(httpClient, options.baseUrl);
  return twilio(options.accountSid, options.authToken, { httpClient });
}

/**
 * Wraps the client's HTTP client, to set the base URL, which has no option, and to read
 * `Retry-After`, since the client drops the headers of an error.
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

/** The provider's message can quote the number, so only its code is kept. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error && 'status' in error)) return providerDown('twilio', undefined);
  const code = 'code' in error ? Number(error.code) : Number.NaN;
  const reason = reasonOfTwilio(code);
  if (reason === 'rate_limited') return providerDown(`twilio, code ${code}`, 429);
  if (reason) return rejected(reason);
  return providerDown(
    `twilio, code ${Number.isInteger(code) ? code : 'none'}`,
    Number(error.status),
  );
}
