import { z } from 'zod';
import { contract } from '../http/contract.ts';

/** Twice the maximum that the provider sends at once. */
const bodyBytesMax = 2 * 1024 * 1024;

export const signatureHeader = 'x-twilio-email-event-webhook-signature';
export const timestampHeader = 'x-twilio-email-event-webhook-timestamp';

/** The mail family: reports of the mail provider. */
export const mailContracts = {
  events: contract({
    id: 'mail.events',
    method: 'post',
    path: '/v2/mail/events',
    summary: 'Receive delivery reports of the mail provider',
    description:
      'Only for SendGrid’s signed event webhook. An event of a mailed link updates the ' +
      '`delivery` of the link within seconds, once. Late events that report less change ' +
      'nothing. Opens, clicks and events of other mails are accepted and dropped.',
    auth: ['webhook'],
    unknownFields: 'ignored',
    request: {
      headers: z.object({
        [signatureHeader]: z
          .string()
          .max(200)
          .optional()
          .describe('ECDSA signature over time and body, DER in base64'),
        [timestampHeader]: z.string().max(20).optional().describe('Seconds since 1970'),
      }),
      rawBytesMax: bodyBytesMax,
    },
    replies: { 204: { kind: 'empty', description: 'Reports stored' } },
    errors: ['credential_invalid'],
  }),
} as const;
