import { z } from 'zod';
import { token } from '../sign-in/schemas.ts';
import { consentFields } from './fields.ts';

export const completeRequest = z
  .object({
    raw_jwt: token
      .optional()
      .describe(
        'Verification bundle of the person; the phone that signs must belong to this person',
      ),
    nonce: z
      .string()
      .max(128)
      .optional()
      .describe(
        '`nonce` of the bundle, if one is sent. Else the nonce of the join session of the ' +
          'check, valid once; use an Idempotency-Key to repeat safely',
      ),
    link_session_id: z
      .string()
      .regex(/^tc_[0-9a-z]{26}$/, 'must be tc_ and 26 lowercase letters and digits')
      .optional()
      .describe('ID of the session; by default the newest of this phone on the link'),
    consent: z
      .object(consentFields)
      .optional()
      .describe('Consent to give in the same call, as in `consent`'),
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
      .describe('Where the app sends the person next; null if neither link nor app names a URL'),
    link_uuid: z.string(),
  })
  .meta({ id: 'CompletedRedirect' });

/** Only apps complete a link, and they read JSON, so there is no card or page. */
export const completeQuery = z.object({
  format_type: z.enum(['A', 'J']).default('A').describe('Both values return JSON'),
});
