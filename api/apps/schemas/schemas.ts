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
  name: label(120).describe('Name shown to people who verify'),
  redirect_url: safeUrl
    .nullable()
    .describe(
      'Where the person goes after a check; null for none, or for the success page of an ' +
        'sdk app',
    ),
  allowed_origins: z
    .array(origin)
    .max(20)
    .refine(isUnique, 'must have each origin once')
    .meta(unique)
    .describe('Origins of pages that can call the API from a browser, and show checks in a frame'),
  auto_redirect: z
    .boolean()
    .describe('Whether the page of an ended check redirects by itself, after 5 seconds'),
  logo_url: safeUrl
    .nullable()
    .describe(
      'URL of a PNG, JPEG or WebP of at most 1 MiB. Pages show a copy beside the name; ' +
        'null for none',
    ),
  brand_color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/, 'must be a color as #1b57b8')
    .nullable()
    .describe('Color of the main buttons, with black or white text; null for the default'),
  support_email: emailText
    .nullable()
    .describe('Email address where people get help with a check; null for none'),
  support_url: safeUrl
    .nullable()
    .describe('Page where people get help with a check; null for none'),
  default_proofs: proofs.describe('Proofs of a link that names none'),
  tos_url: safeUrl.nullable().describe('URL of the terms for the consent; null for none'),
  tos_version: label(40).describe('Version of the terms; a new version needs a new consent'),
  install_url: safeUrl.nullable().describe('Where to get the mobile app; null for none'),
  apple: apple.nullable(),
  android: android.nullable(),
};

export const createAppRequest = z
  .object({
    name: fields.name,
    kind: z
      .enum(appKinds)
      .describe('`sdk`: checks run in your app or page; `portal`: on our pages'),
    livemode: z
      .boolean()
      .optional()
      .describe(
        '`false` for an app in test mode. By default the mode of the API key, or live for a ' +
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
      .describe('Platforms for which the app has an identity'),
    links_active: z.int().describe('Number of usable links'),
    checks_last_24h: z.int().describe('Number of checks begun in the last 24 hours'),
  })
  .meta({ id: 'AppStatus' });

export const appUsersQuery = z.object({
  ...pageQuery,
  search: searchText
    .optional()
    .describe(
      'Part of the ID of a person, beginnings of the words of a name, or a whole email address',
    ),
  platform: z.enum(devicePlatforms).optional().describe('Platform of the device last seen'),
  role: z.enum(roles).optional().describe('Highest role in the account of the app'),
});

export const appUserBody = z
  .object({
    poly_user_id: z.string(),
    display_name: z
      .string()
      .nullable()
      .describe('Name released by the last passed check of the app; null if none'),
    email_masked: z.string().nullable().describe('First letter and domain of a login email'),
    platform: z.enum(devicePlatforms).nullable().describe('Platform of the device last seen'),
    role: z.enum(roles).nullable().describe('Highest role in the account of the app'),
    first_seen_at: timestamp,
    last_seen_at: timestamp,
    checks: z.object({ passed: z.int(), failed: z.int() }),
  })
  .meta({ id: 'AppUser' });
