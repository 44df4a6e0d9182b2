import { z } from 'zod';
import {
  androidSecurityLevels,
  appleCategories,
  playIntegrities,
  playTokens,
} from '../../../domain/names.ts';
import { label } from '../../accounts/schemas.ts';
import { unique } from '../../http/fields/declared-rules.ts';
import { isUnique } from '../../http/fields/fields.ts';

/** SHA-256 of a signing certificate, with the colons of keytool and Play or without. */
const digest = z
  .string()
  .regex(/^[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){31}$/, 'must be a SHA-256 in hex')
  .transform((text) => text.replaceAll(':', '').toLowerCase());

export const apple = z
  .object({
    team_id: z
      .string()
      .regex(/^[A-Z0-9]{10}$/, 'must be ten letters and digits')
      .describe('Team ID of the developer'),
    bundle_id: z
      .string()
      .regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, 'must be a bundle id')
      .max(155)
      .describe('Bundle ID of the app'),
    categories: z
      .array(z.enum(appleCategories))
      .min(1)
      .max(appleCategories.length)
      .refine(isUnique, 'must have each category once')
      .meta(unique)
      .optional()
      .describe(
        'Allowed distribution channels of a build, as reported by iOS 27; `app_store` by default',
      ),
    category_required: z
      .boolean()
      .optional()
      .describe('Whether to refuse builds that report no channel, which includes all up to iOS 26'),
    bundle_versions: z
      .array(label(40))
      .min(1)
      .max(100)
      .refine(isUnique, 'must have each version once')
      .optional()
      .describe('Only accepted values of CFBundleVersion, as reported by iOS 27; all by default'),
  })
  .describe(
    'The app on iOS; null for none. A change of the requirements on its builds applies ' +
      'at once, also to running checks',
  );
/** For example `202609`. */
const yearMonth = z
  .int()
  .min(201_501)
  .max(209_912)
  .refine((value) => value % 100 >= 1 && value % 100 <= 12, 'must be a year and a month');
/** The maximum that Android allows. */
const versionCodeMax = 2_100_000_000;
export const android = z
  .object({
    package: z
      .string()
      .regex(/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/, 'must be an application id')
      .max(155)
      .describe('Application ID'),
    signature_digests: z
      .array(digest)
      .min(1)
      .max(10)
      .describe('SHA-256 of the allowed signing certificates, in hex'),
    version_min: z
      .int()
      .min(1)
      .max(versionCodeMax)
      .optional()
      .describe('Minimum version code for enrollments, if Google Play is queried'),
    integrity_min: z
      .enum(playIntegrities)
      .optional()
      .describe('Minimum integrity verdict of Google Play; `strong` excludes older phones'),
    play_token: z
      .enum(playTokens)
      .optional()
      .describe(
        '`required`: the proof `device` of every check needs a new Google Play token, so ' +
          'that a phone unlocked after its enrollment is refused',
      ),
    security_level_min: z
      .enum(androidSecurityLevels)
      .optional()
      .describe(
        'Minimum security of the key storage; `strong_box` excludes phones without such a ' +
          'chip. Applies to each check, also of enrolled phones',
      ),
    patch_level_min: yearMonth
      .optional()
      .describe(
        'Oldest accepted security patch level at enrollment, as year and month: 202609. A ' +
          'phone with newer patches must enroll again',
      ),
  })
  .describe(
    'The app on Android; null for none. A change of the requirements on phones applies at once, ' +
      'also to running checks; `version_min` applies only to phones that are enrolled later',
  );
