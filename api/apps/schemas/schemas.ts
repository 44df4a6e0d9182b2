import { z } from 'zod';
import {
  androidSecurityLevels,
  appKinds,
  appleCategories,
  appStates,
  devicePlatforms,
  playIntegrities,
  playTokens,
  roles,
} from '../../../domain/names.ts';
import { label } from '../../accounts/schemas.ts';
import { unique } from '../../http/fields/declared-rules.ts';
import { emailText, isUnique, safeUrl } from '../../http/fields/fields.ts';
import { pageQuery, searchText } from '../../http/fields/paging.ts';
import { proofs } from '../../links/fields.ts';
import { android, apple } from './identities.ts';

const timestamp = z.iso.datetime();

const originForm =
  /^(https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*|http:\/\/(localhost|127\.0\.0\.1))(:\d{1,5})?$/;
/** One exact origin as browsers send it (RFC 6454 §6.1); http is allowed only for this machine. */
const origin = z
  .string()
  .max(256)
  .refine(
    (text) => originForm.test(text) && URL.parse(text)?.origin === text,
    'must be an https origin as browsers write it: scheme, host and port, nothing else',
  )
  .meta({ pattern: originForm.source });

const fields = {
  name: label(120).describe('What people who are asked to verify see'),
  redirect_url: safeUrl
    .nullable()
    .describe('Where a finished check leads; of an sdk app its own success page, where null'),
  allowed_origins: z
    .array(origin)
    .max(20)
    .refine(isUnique, 'must have each origin once')
    .meta(unique)
    .describe('Whose pages may call the API from a browser, and display checks in a frame'),
  auto_redirect: z
    .boolean()
    .describe('Whether the page of an ended check opens the redirect by itself, after 5 s'),
  logo_url: safeUrl
    .nullable()
    .describe(
      'A PNG, JPEG or WebP of at most 1 MiB, of which pages show a copy beside the name; null ' +
        'for none',
    ),
  brand_color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/, 'must be a color as #1b57b8')
    .nullable()
    .describe('Of the main buttons on its pages, with black or white text; null for ours'),
  support_email: emailText.nullable().describe('Where people who are checked get help'),
  support_url: safeUrl.nullable().describe('A page where people who are checked get help'),
  default_proofs: proofs.describe('What a link asks for that does not say'),
  tos_url: safeUrl.nullable().describe('The terms people consent to; null for none'),
  tos_version: label(40).describe('Which terms: who has consented to others is asked anew'),
  install_url: safeUrl.nullable().describe('Where the mobile app is to be had'),
  apple: apple.nullable(),
  android: android.nullable(),
};

export const createAppRequest = z
  .object({
    name: fields.name,
    kind: z.enum(appKinds).describe('`sdk`: in an app or page of yours; `portal`: on our pages'),
    livemode: z
      .boolean()
      .optional()
      .describe(
        '`false`: an app in test mode. Without it: the mode of the API key, or live for a ' +
          'session. It never changes',
      ),
    redirect_url: fields.redirect_url.default(null),
    allowed_origins: fields.allowed_origins.default([]),
    auto_redirect: fields.auto_redirect.default(false),
    logo_url: fields.logo_url.default(null),
    brand_color: fields.brand_color.default(null),
    support_email: fields.support_email.default(null),
    support_url: fields.support_url.default(null),
    default_proofs: fields.default_proofs.default(['device', 'nfc_passport', 'phone']),
    tos_url: fields.tos_url.default(null),
    tos_version: fields.tos_version.default('1'),
    install_url: fields.install_url.default(null),
    apple: fields.apple.optional(),
    android: fields.android.optional(),
  })
  .meta({
    id: 'CreateAppRequest',
    example: {
      name: 'Example app',
      kind: 'sdk',
      allowed_origins: ['https://www.example.com'],
      default_proofs: ['phone'],
    },
  });

/** A PATCH has no defaults. */
export const updateAppRequest = z
  .object({
    name: fields.name.optional(),
    redirect_url: fields.redirect_url.optional(),
    allowed_origins: fields.allowed_origins.optional(),
    auto_redirect: fields.auto_redirect.optional(),
    logo_url: fields.logo_url.optional(),
    brand_color: fields.brand_color.optional(),
    support_email: fields.support_email.optional(),
    support_url: fields.support_url.optional(),
    default_proofs: fields.default_proofs.optional(),
    tos_url: fields.tos_url.optional(),
    tos_version: fields.tos_version.optional(),
    install_url: fields.install_url.optional(),
    apple: fields.apple.optional(),
    android: fields.android.optional(),
  })
  .meta({
    id: 'UpdateAppRequest',
    example: { tos_url: 'https://www.example.com/terms', tos_version: '2' },
  });

const summary = {
  app_id: z.string(),
  account_id: z.int(),
  name: z.string(),
  kind: z.enum(appKinds),
  status: z.enum(appStates),
  livemode: z.boolean(),
  logo_url: z.string().nullable(),
};

export const applicationBody = z.object(summary).meta({ id: 'Application' });

export const appBody = z
  .object({
    ...summary,
    redirect_url: z.string().nullable(),
    auto_redirect: z.boolean(),
    brand_color: z.string().nullable(),
    support_email: z.string().nullable(),
    support_url: z.string().nullable(),
    allowed_origins: z.array(z.string()),
    default_proofs: z.array(z.string()),
    tos_url: z.string().nullable(),
    tos_version: z.string(),
    install_url: z.string().nullable(),
    apple: z
      .object({
        team_id: z.string(),
        bundle_id: z.string(),
        categories: z.array(z.enum(appleCategories)).optional(),
        category_required: z.boolean().optional(),
        bundle_versions: z.array(z.string()).optional(),
      })
      .nullable(),
    android: z
      .object({
        package: z.string(),
        signature_digests: z.array(z.string()),
        version_min: z.int().optional(),
        integrity_min: z.enum(playIntegrities).optional(),
        play_token: z.enum(playTokens).optional(),
        security_level_min: z.enum(androidSecurityLevels).optional(),
        patch_level_min: z.int().optional(),
      })
      .nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'App' });

export const appStatusBody = z
  .object({
    app_id: z.string(),
    status: z.enum(appStates),
    kind: z.enum(appKinds),
    livemode: z.boolean(),
    redirect_url: z.string().nullable(),
    tos_version: z.string(),
    default_proofs: z.array(z.string()),
    platforms: z
      .object({ ios: z.boolean(), android: z.boolean() })
      .describe('For which it has an identity'),
    links_active: z.int().describe('Links that can be used now'),
    checks_last_24h: z.int().describe('Checks begun in the last 24 hours'),
  })
  .meta({ id: 'AppStatus' });

export const appUsersQuery = z.object({
  ...pageQuery,
  search: searchText
    .optional()
    .describe(
      'A part of the id of a person, the beginnings of the words of a name, or the whole address',
    ),
  platform: z.enum(devicePlatforms).optional().describe('Of the device last seen'),
  role: z.enum(roles).optional().describe('Their highest in the account of the app'),
});

export const appUserBody = z
  .object({
    poly_user_id: z.string(),
    display_name: z
      .string()
      .nullable()
      .describe('As the last passed check of the app released it; null where none did'),
    email_masked: z.string().nullable().describe('Of a login email its first letter and domain'),
    platform: z.enum(devicePlatforms).nullable().describe('Of the device last seen'),
    role: z.enum(roles).nullable().describe('Their highest in the account of the app'),
    first_seen_at: timestamp,
    last_seen_at: timestamp,
    checks: z.object({ passed: z.int(), failed: z.int() }),
  })
  .meta({ id: 'AppUser' });
