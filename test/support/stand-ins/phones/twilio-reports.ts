import { createHmac } from 'node:crypto';
import type { ReceivedSms, TwilioAccount } from './twilio.ts';

/** An account of the provider, and the settings that configure it. */
export const twilioAccount = {
  accountSid: `AC${'0a'.repeat(16)}`,
  authToken: 'token-of-the-stand-in',
  senders: ['+12025550199'],
} as const satisfies TwilioAccount;
export const twilioSettings = (url: string): Readonly<Record<string, string>> => ({
  TWILIO_ACCOUNT_SID: twilioAccount.accountSid,
  TWILIO_AUTH_TOKEN: twilioAccount.authToken,
  TWILIO_FROM: twilioAccount.senders[0],
  TWILIO_BASE_URL: url,
});

export interface SmsReportRequest {
  /** Path and query of the callback address in the message. */
  readonly path: string;
  readonly raw: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A request of Twilio's status callback, as its documentation describes it: a form, signed with
 * HMAC-SHA-1 under the account's token. The signature covers the whole address, and then each field
 * sorted by name: name and value without a separator.
 */
export function smsReport(
  { accountSid, authToken }: Pick<TwilioAccount, 'accountSid' | 'authToken'>,
  message: Pick<ReceivedSms, 'sid' | 'to' | 'from' | 'statusCallback'>,
  status: string,
  errorCode?: number,
): SmsReportRequest {
  const form: Readonly<Record<string, string>> = {
    SmsSid: message.sid,
    SmsStatus: status,
    MessageStatus: status,
    To: message.to,
    MessageSid: message.sid,
    AccountSid: accountSid,
    From: message.from ?? '',
    ApiVersion: '2010-04-01',
    ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
  };
  const url = message.statusCallback ?? '';
  const fields = Object.keys(form)
    .toSorted()
    .map((name) => `${name}${form[name] ?? ''}`);
  const signed = [url, ...fields].join('');
  const { pathname, search } = new URL(url);
  return {
    path: `${pathname}${search}`,
    raw: new URLSearchParams(form).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', authToken).update(signed, 'utf8').digest('base64'),
    },
  };
}
