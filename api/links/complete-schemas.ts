import { z } from 'zod';
import { token } from '../sign-in/schemas.ts';
import { consentFields } from './fields.ts';

export const completeRequest = z
  .object({
    raw_jwt: token
      .optional()
      .describe('The verification bundle of the person who completes, whose phone this has to be'),
    nonce: z
      .string()
      .max(128)
      .optional()
      .describe(
        'The `nonce` of the bundle, where one comes along; else that of the join session the ' +
          'check was begun for, which is good once; an Idempotency-Key makes a repeat safe',
      ),
    link_session_id: z
      .string()
      .regex(/^tc_[0-9a-z]{26}$/, 'must be tc_ and 26 lowercase letters and digits')
      .optional()
      .describe('The session; the newest of this phone on the link when left out'),
    consent: z
      .object(consentFields)
      .optional()
      .describe('Consent that comes along, as `consent` takes it'),
  })
  .meta({
    id: 'CompleteRedirectRequest',
    example: { consent: { accepted: true, tos_version: '1', claims: ['phone_number'] } },
  });

export const completedBody = z
  .object({
    link_session_id: z.string(),
    status: z.string(),
    redirect_url: z
      .string()
      .nullable()
      .describe('Where the app leads the person next; null where link and app name no address'),
    link_uuid: z.string(),
  })
  .meta({ id: 'CompletedRedirect' });

/** Only apps complete a link, and they read JSON, so there is no card or page. */
export const completeQuery = z.object({
  format_type: z.enum(['A', 'J']).default('A').describe('JSON either way'),
});
