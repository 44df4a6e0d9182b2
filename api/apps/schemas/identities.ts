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
      .describe('Of the maker'),
    bundle_id: z
      .string()
      .regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, 'must be a bundle id')
      .max(155)
      .describe('Of the app'),
    categories: z
      .array(z.enum(appleCategories))
      .min(1)
      .max(appleCategories.length)
      .refine(isUnique, 'must have each category once')
      .meta(unique)
      .optional()
      .describe('How a build may have reached the phone, as iOS 27 tells; `app_store` if left out'),
    category_required: z
      .boolean()
      .optional()
      .describe('Whether builds that do not say it are refused, as all up to iOS 26'),
    bundle_versions: z
      .array(label(40))
      .min(1)
      .max(100)
      .refine(isUnique, 'must have each version once')
      .optional()
      .describe(
        'The only values of CFBundleVersion that are taken, as iOS 27 tells; all if left out',
      ),
  })
  .describe(
    'The app on iOS; null for none. A change of the requirements on its builds applies at once, ' +
      'also to running checks',
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
      .describe('Its application id'),
    signature_digests: z
      .array(digest)
      .min(1)
      .max(10)
      .describe('SHA-256 of the certificates it may be signed with, in hex'),
    version_min: z
      .int()
      .min(1)
      .max(versionCodeMax)
      .optional()
      .describe('The least version code that phones are enrolled with, where Google Play is asked'),
    integrity_min: z
      .enum(playIntegrities)
      .optional()
      .describe('How far Google Play has to vouch for a phone; `strong` shuts out older ones'),
    play_token: z
      .enum(playTokens)
      .optional()
      .describe(
        '`required`: the proof `device` of every check brings a token that Google Play made for ' +
          'it, so that a phone unlocked since it was enrolled is refused',
      ),
    security_level_min: z
      .enum(androidSecurityLevels)
      .optional()
      .describe(
        'Where the key has to live; `strong_box` shuts out phones without such a chip. Asked of ' +
          'each check, also of phones that are enrolled',
      ),
    patch_level_min: yearMonth
      .optional()
      .describe(
        'Year and month of the oldest security patches taken, as 202609, when the phone was ' +
          'enrolled: one that has been given newer ones since enrolls anew',
      ),
  })
  .describe(
    'The app on Android; null for none. A change of the requirements on phones applies at once, ' +
      'also to running checks; `version_min` applies only to phones that are enrolled later',
  );
