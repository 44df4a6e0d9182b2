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
    summary: 'Reports of the mail provider on deliveries',
    description: [
      'For SendGrid’s signed event webhook alone. What it says of an emailed link becomes the',
      'link’s `delivery`, within seconds and once; what comes late and says less changes nothing.',
      'Opens, clicks and events of other mail are taken and forgotten.',
    ].join(' '),
    auth: ['webhook'],
    unknownFields: 'ignored',
    request: {
      headers: z.object({
        [signatureHeader]: z
          .string()
          .max(200)
          .optional()
          .describe('ECDSA over the time and the body, DER in base64'),
        [timestampHeader]: z.string().max(20).optional().describe('Seconds since 1970'),
      }),
      rawBytesMax: bodyBytesMax,
    },
    replies: { 204: { kind: 'empty', description: 'They are kept' } },
    errors: ['credential_invalid'],
  }),
} as const;
