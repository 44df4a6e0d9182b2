import { createHash } from 'node:crypto';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';

export interface ReceivedSms {
  readonly sid: string;
  readonly to: string;
  /** The sender number or name; null if a messaging service chooses it. */
  readonly from: string | null;
  readonly messagingServiceSid: string | null;
  readonly body: string;
  readonly validitySeconds: number | null;
  /** Address for status reports. */
  readonly statusCallback: string | null;
}

export interface TwilioStandIn extends Provider {
  /** Accepted messages, in order. */
  readonly messages: readonly ReceivedSms[];
}

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** Numbers, names and messaging services from which the account may send. */
  readonly senders: readonly string[];
  /** Numbers of recipients who have answered STOP. */
  readonly unsubscribed?: readonly string[];
}

/** Receivers of the provider's test credentials, each with the refusal that it triggers. */
const refusedReceivers: Readonly<Record<string, readonly [code: number, why: string]>> = {
  '+15005550001': [21_211, "The 'To' number is not a valid phone number"],
  '+15005550002': [21_612, "The 'To' and 'From' numbers cannot be connected"],
  '+15005550003': [21_408, 'Permission to send an SMS has not been enabled for the region'],
  '+15005550004': [21_610, 'Attempt to send to unsubscribed recipient'],
  '+15005550009': [21_614, "The 'To' number is not a valid mobile number"],
};
const parametersKnown = new Set([
  'To',
  'From',
  'MessagingServiceSid',
  'Body',
  'ValidityPeriod',
  'StatusCallback',
]);

const refuse = (status: number, code: number, message: string): ProviderAnswer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

/**
 * Twilio's `2010-04-01` messages resource over HTTP: basic authentication, form encoding, the
 * refusals of its test credentials. Answers 201 with the message, or the provider's error object.
 */
export async function startTwilio(account: TwilioAccount): Promise<TwilioStandIn> {
  const messages: ReceivedSms[] = [];
  const { accountSid, authToken } = account;
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
  const provider = await startProvider(({ method, path, headers, body }) => {
    if (headers.authorization !== `Basic ${credentials}`) {
      return refuse(401, 20_003, 'Authenticate');
    }
    if (path !== `/2010-04-01/Accounts/${accountSid}/Messages.json`) {
      return refuse(404, 20_404, `The requested resource ${path} was not found`);
    }
    if (method !== 'POST') return refuse(405, 20_004, 'Method not allowed');
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return refuse(415, 20_001, 'Form encoding expected');
    }
    const form = new URLSearchParams(body.toString('utf8'));
    const refusal = refusalOf(form, account);
    if (refusal) return refusal;
    const sms = received(form, messages.length);
    messages.push(sms);
    return { status: 201, body: resourceOf(accountSid, sms) };
  });
  return { ...provider, messages };
}

function refusalOf(form: URLSearchParams, account: TwilioAccount): ProviderAnswer | null {
  const names = [...form.keys()];
  const odd = names.find((name) => !parametersKnown.has(name));
  if (odd || new Set(names).size !== names.length) {
    return refuse(400, 20_001, `Unknown or repeated parameter ${odd ?? ''}`);
  }
  const to = form.get('To') ?? '';
  const body = form.get('Body') ?? '';
  const sender = form.get('MessagingServiceSid') ?? form.get('From') ?? '';
  const validity = form.get('ValidityPeriod');
  if (!to) return refuse(400, 21_604, "A 'To' phone number is required.");
  if (!sender) return refuse(400, 21_603, "A 'From' phone number is required.");
  if (!body) return refuse(400, 21_602, 'Message body is required.');
  if ([...body].length > 1600) {
    return refuse(400, 21_617, 'The concatenated message body exceeds the 1600 character limit.');
  }
  if (!/^\+[1-9]\d{6,14}$/.test(to)) {
    return refuse(400, 21_211, `The 'To' number ${to} is not a valid phone number.`);
  }
  const [code, why] = refusedReceivers[to] ?? [];
  if (code && why) return refuse(400, code, `${why}: ${to}`);
  if (account.unsubscribed?.includes(to)) {
    return refuse(400, 21_610, `Attempt to send to unsubscribed recipient: ${to}`);
  }
  if (!account.senders.includes(sender)) {
    return refuse(400, 21_606, `The 'From' ${sender} is not a number of this account.`);
  }
  if (validity !== null && !(/^\d+$/.test(validity) && +validity >= 1 && +validity <= 36_000)) {
    return refuse(400, 20_001, 'ValidityPeriod is out of range');
  }
  const callback = form.get('StatusCallback');
  if (callback !== null && !/^https?:$/.test(URL.parse(callback)?.protocol ?? '')) {
    return refuse(400, 21_609, `The 'StatusCallback' URL ${callback} is not a valid URL.`);
  }
  return null;
}

function received(form: URLSearchParams, count: number): ReceivedSms {
  const validity = form.get('ValidityPeriod');
  return {
    sid: `SM${createHash('md5').update(String(count)).digest('hex')}`,
    to: form.get('To') ?? '',
    from: form.get('From'),
    messagingServiceSid: form.get('MessagingServiceSid'),
    body: form.get('Body') ?? '',
    validitySeconds: validity === null ? null : Number(validity),
    statusCallback: form.get('StatusCallback'),
  };
}

function resourceOf(accountSid: string, sms: ReceivedSms): Record<string, unknown> {
  return {
    account_sid: accountSid,
    api_version: '2010-04-01',
    body: sms.body,
    date_created: 'Fri, 02 Jan 2026 03:04:05 +0000',
    date_sent: null,
    date_updated: 'Fri, 02 Jan 2026 03:04:05 +0000',
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from: sms.from,
    messaging_service_sid: sms.messagingServiceSid,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: null,
    sid: sms.sid,
    status: 'queued',
    subresource_uris: {
      media: `/2010-04-01/Accounts/${accountSid}/Messages/${sms.sid}/Media.json`,
    },
    to: sms.to,
    uri: `/2010-04-01/Accounts/${accountSid}/Messages/${sms.sid}.json`,
  };
}
