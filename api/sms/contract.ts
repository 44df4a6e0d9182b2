import { z } from 'zod';
import { contract } from '../http/contract.ts';

/** A report of the provider has a few hundred bytes. */
const bodyBytesMax = 16 * 1024;

export const signatureHeader = 'x-twilio-signature';

/** The sms family: reports of the SMS provider. */
export const smsContracts = {
  events: contract({
    id: 'sms.events',
    method: 'post',
    path: '/v2/sms/events',
    summary: 'Receive status reports of the SMS provider',
    description:
      'Only for Twilio’s status callback, at the URL that each message names. A report ' +
      'updates the delivery of the code: a number that cannot receive messages gets no ' +
      'more of them in its check. Late or repeated reports that report less change nothing.',
    auth: ['webhook'],
    unknownFields: 'ignored',
    request: {
      query: z.object({
        send: z
          .string()
          .regex(/^tc_[0-9a-z]{26}\.\d{1,6}\.\d{1,6}$/, 'must name a message')
          .describe('The message: session, series of the code, send'),
      }),
      headers: z.object({
        [signatureHeader]: z
          .string()
          .max(200)
          .optional()
          .describe('HMAC-SHA-1 over the URL and the form fields, in base64'),
      }),
      rawBytesMax: bodyBytesMax,
    },
    replies: { 204: { kind: 'empty', description: 'Report stored' } },
    errors: ['credential_invalid'],
  }),
} as const;
