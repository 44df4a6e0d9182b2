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
    summary: 'Reports of the SMS provider on codes',
    description: [
      'For Twilio’s status callback alone, at the address each message names. What it says of a',
      'code becomes the code’s delivery: a number that takes no messages gets no further one in',
      'its check. What comes late, or again, and says less changes nothing.',
    ].join(' '),
    auth: ['webhook'],
    unknownFields: 'ignored',
    request: {
      query: z.object({
        send: z
          .string()
          .regex(/^tc_[0-9a-z]{26}\.\d{1,6}\.\d{1,6}$/, 'must name a message')
          .describe('Which message it is: session, series of the code, send'),
      }),
      headers: z.object({
        [signatureHeader]: z
          .string()
          .max(200)
          .optional()
          .describe('HMAC-SHA-1 over the address and the fields of the form, in base64'),
      }),
      rawBytesMax: bodyBytesMax,
    },
    replies: { 204: { kind: 'empty', description: 'It is kept' } },
    errors: ['credential_invalid'],
  }),
} as const;
