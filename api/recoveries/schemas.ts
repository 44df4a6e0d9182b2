import { z } from 'zod';
import { recoveryProofs } from '../../activities/identity/recovery.ts';
import { recoveryStates } from '../../domain/identity/recovery-names.ts';
import { accountPath } from '../accounts/schemas.ts';
import { appId, polyUserId } from '../http/fields/ids.ts';
import { locale } from '../http/server/locale.ts';

const timestamp = z.iso.datetime();
const recoveryId = z.string().regex(/^rec_[0-9a-z]{26}$/, 'must be a recovery id');

export const subjectPath = accountPath.extend({
  poly_user_id: polyUserId.describe('The member who lost their devices'),
});
export const recoveryPath = subjectPath.extend({
  recovery_id: recoveryId.describe('The recovery'),
});

export const openRecoveryRequest = z
  .object({
    app_id: appId.describe('The live app of the account that the check runs in'),
    locale: locale.optional().describe('The language of the mails (BCP 47); English without it'),
  })
  .meta({ id: 'OpenRecoveryRequest', example: { app_id: 'example-app' } });

export const recoveryBody = z
  .object({
    recovery_id: recoveryId,
    account_id: z.int(),
    poly_user_id: z.string(),
    status: z.enum(recoveryStates),
    proof: z
      .enum(recoveryProofs)
      .nullable()
      .describe(
        'Result of the check; only `proven` can be approved. Null for a recovery by the operator',
      ),
    link_uuid: z.string().nullable(),
    link_session_id: z.string().nullable().describe('ID of the check; null before it begins'),
    opened_by: z.string().describe('ID of a person, or `operator`'),
    decided_by: z.string().nullable(),
    device_id: z.string().nullable().describe('Device that completed the recovery'),
    created_at: timestamp,
    expires_at: timestamp,
    decided_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'Recovery' });
