import { z } from 'zod';
import {
  faceProviders,
  imageRetentionDaysMax,
  roles,
  subjectReasons,
  type Role,
} from '../../domain/names.ts';
import { safeUrl } from '../http/fields/fields.ts';
import { accountId } from '../http/fields/ids.ts';

const timestamp = z.iso.datetime();

/** The path of operations on an account. */
export const accountPath = z.object({
  account_id: accountId.describe('ID of the account'),
});

/**
 * Visible text that is not blank. Joiners (U+200C, U+200D) are allowed between letters, where
 * Persian and Indic words need them. Each character matches in one way only, without lookaround, so
 * the time is linear.
 */
export const label = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(
      /^(?:[\p{L}\p{M}](?:[\u200c\u200d][\p{L}\p{M}])*|[^\p{C}\p{L}\p{M}])+$/u,
      'must have no control characters, and joiners between letters only',
    );

/** The roles of a membership or key, without duplicates, lowest first. */
export const roleList = <const Name extends Role>(names: readonly Name[]) =>
  z
    .array(z.enum(names))
    .min(1)
    .max(names.length)
    .transform((given) => names.filter((name) => given.includes(name)));

const imageRetentionDays = z
  .int()
  .min(0)
  .max(imageRetentionDaysMax)
  .describe(
    [
      'Days for which files and images of a check are kept after its end. A higher number',
      'applies to later checks only. 0 removes them within ten minutes of the affidavit',
    ].join(' '),
  );

const faceProvider = z
  .enum(faceProviders)
  .nullable()
  .describe(
    'Provider that judges faces, as configured by the operator; null for the platform ' +
      'itself. People go to it before the camera, and it receives their portraits',
  );

const subjectReasonsOfAccount = z
  .enum(subjectReasons)
  .describe(
    'What the person sees of a check that has not passed: `plain`, the reasons; ' +
      '`neutral`, only the outcome. A check keeps the value from its begin',
  );

export const updateAccountRequest = z
  .object({
    name: label(120).optional().describe('Name shown to people who verify'),
    logo_url: safeUrl
      .nullable()
      .optional()
      .describe('URL of an image beside the name; null for none'),
    verified: z
      .boolean()
      .optional()
      .describe('Whether the operator has verified the organization; POLYADMIN only'),
    image_retention_days: imageRetentionDays.optional(),
    face_provider: faceProvider.optional(),
    subject_reasons: subjectReasonsOfAccount.optional(),
  })
  .meta({ id: 'UpdateAccountRequest', example: { name: 'Example Ltd' } });

export const accountBody = z
  .object({
    account_id: z.int(),
    name: z.string(),
    logo_url: z.string().nullable(),
    verified: z.boolean().describe('Whether the operator has verified the organization'),
    image_retention_days: imageRetentionDays,
    face_provider: faceProvider,
    subject_reasons: subjectReasonsOfAccount,
    created_at: timestamp,
  })
  .meta({ id: 'Account' });

export const ownAccountBody = accountBody
  .extend({ roles: z.array(z.enum(roles)).describe('Roles of the caller in the account') })
  .meta({ id: 'OwnAccount' });

/** A membership that the caller has just accepted. */
export const joinedBody = z
  .object({ account_id: z.int(), name: z.string(), roles: z.array(z.enum(roles)) })
  .meta({ id: 'JoinedAccount' });

export const invitationBody = joinedBody
  .extend({
    created_at: timestamp,
    expires_at: timestamp.describe('When the invitation expires'),
  })
  .meta({ id: 'Invitation' });
