import { z } from 'zod';
import { assuranceLevels, claimNames, linkStates, linkTypes } from '../../db/names.ts';
import { servedProofs } from '../../workflows/proofs.ts';

const shortText = (max: number) => z.string().trim().min(1).max(max);
const proofs = z.array(z.enum(servedProofs)).min(1).max(5).refine(isUnique, 'each proof once');
/** Of years that are written with four digits, whatever the offset makes of them. */
const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine(
    (date) => date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 9998,
    'a date we know',
  );
const country = z.string().regex(/^[A-Z]{3}$/, 'an ISO 3166 alpha-3 code');

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/**
 * https anywhere; http only on this very machine. Never credentials, never another scheme, and
 * spelled so that every reader sees the same host: those that follow RFC 3986 and those of WHATWG
 * differ over backslashes, blanks and controls.
 */
export const safeUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((text) => {
    const url = URL.parse(text);
    if (!url) return false;
    const isLocal = url.hostname === 'localhost' || url.hostname === '127.0.0.1';
    const isPlain = text.toLowerCase().startsWith(`${url.protocol}//${url.host}`);
    if (!isPlain || /[\\\s\p{C}]/u.test(text)) return false;
    return (url.protocol === 'https:' || isLocal) && url.username === '' && url.password === '';
  }, 'an https address without credentials');

const matchingParams = z.object({
  full_name: shortText(200).optional(),
  date_of_birth: z.iso.date().optional(),
  email: z.email().max(254).optional(),
  phone_number: z
    .string()
    .regex(/^\+[1-9]\d{6,14}$/, 'E.164')
    .optional(),
  issuing_country: country.optional(),
  custom: z.record(shortText(40), shortText(200)).optional(),
});

const policy = z.object({
  min_level: z.enum(assuranceLevels).optional(),
  max_age_days: z.int().min(1).max(3650).optional(),
  allowed_countries: z.array(country).max(250).optional(),
  review_on_unsure: z.boolean().optional(),
  web_allowed: z.boolean().optional(),
});

const metadata = z
  .record(z.string().regex(/^[A-Za-z0-9_.-]{1,40}$/), z.string().max(500))
  .refine((record) => Object.keys(record).length <= 50, 'at most 50 keys');

const meeting = z.object({
  platform: z.enum(['conf-a', 'conf-b', 'sandbox']).optional(),
  topic: shortText(200).optional(),
  organization: shortText(200).optional(),
  scheduled_at: z.iso.datetime({ offset: true }).optional(),
  duration_minutes: z.int().min(1).max(1440).optional(),
  host_email: z.email().max(254).optional(),
});

export const createLinkRequest = z
  .object({
    title: shortText(200).optional(),
    required_proofs: proofs.optional(),
    requested_claims: z.array(z.enum(claimNames)).max(7).refine(isUnique).optional(),
    matching_params: matchingParams.optional(),
    link_type: z.enum(linkTypes).optional(),
    single_use: z.boolean().optional(),
    max_uses: z.int().min(1).max(1_000_000).optional(),
    max_attempts: z.int().min(1).max(10).optional(),
    not_before: instant.optional(),
    expires_at: instant.optional(),
    redirect_url: safeUrl.optional(),
    reference_id: shortText(128).optional(),
    job_id: z
      .string()
      .regex(/^\d{1,32}$/, 'a numeric id')
      .optional(),
    metadata: metadata.optional(),
    transaction_data: z.record(z.string().max(64), z.unknown()).optional(),
    policy: policy.optional(),
    meeting: meeting.optional(),
    locale: z
      .string()
      .regex(/^[a-z]{2}(-[A-Z]{2})?$/)
      .optional(),
  })
  .meta({
    id: 'CreateLinkRequest',
    example: {
      title: 'Confirm who you are',
      required_proofs: ['phone'],
      requested_claims: ['phone_number'],
      single_use: true,
    },
  });

export const sendLinkRequest = createLinkRequest
  .extend({
    send_to_email: z.email().max(254),
    recipient_name: shortText(120).optional(),
    reference_note: shortText(500).optional(),
  })
  .meta({
    id: 'SendLinkRequest',
    example: {
      send_to_email: 'recipient@example.test',
      title: 'Confirm who you are',
      required_proofs: ['phone'],
    },
  });

/** null clears a field that may be empty. Defaults have no place in a PATCH. */
export const updateLinkRequest = z
  .object({
    title: shortText(200).nullable().optional(),
    required_proofs: proofs.optional(),
    matching_params: matchingParams.nullable().optional(),
    expires_at: instant.nullable().optional(),
    not_before: instant.nullable().optional(),
    paused: z.boolean().optional(),
    redirect_url: safeUrl.nullable().optional(),
    metadata: metadata.optional(),
    policy: policy.optional(),
  })
  .meta({
    id: 'UpdateLinkRequest',
    example: { title: 'Confirm who you are, once more', metadata: { step: '2' } },
  });

const timestamp = z.iso.datetime();

export const linkBody = z
  .object({
    link_uuid: z.string(),
    app_id: z.string(),
    account_id: z.int(),
    link_type: z.enum(linkTypes),
    url: z.string(),
    title: z.string().nullable(),
    status: z.enum(linkStates),
    single_use: z.boolean(),
    use_count: z.int(),
    max_uses: z.int().nullable(),
    required_proofs: z.array(z.string()),
    requested_claims: z.array(z.string()),
    created_by: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
    reference_id: z.string().nullable(),
    job_id: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    qr_svg_url: z.string(),
  })
  .meta({ id: 'Link' });

export const delivery = z.object({ status: z.string(), message_id: z.string().optional() });
export const sentLinkBody = linkBody.extend({ delivery }).meta({ id: 'SentLink' });

export const rawLinkBody = linkBody
  .extend({
    matching_params: matchingParams.nullable(),
    policy,
    transaction_data: z.record(z.string(), z.unknown()).nullable(),
    delivery: delivery.extend({ at: timestamp }).nullable(),
    sessions: z.array(z.object({ link_session_id: z.string(), status: z.string(), at: timestamp })),
  })
  .meta({ id: 'RawLink' });

export const previewBody = z
  .object({
    link_uuid: z.string(),
    title: z.string().nullable(),
    link_type: z.enum(linkTypes),
    status: z.enum(linkStates),
    actionable: z.boolean(),
    requester: z.object({
      account_name: z.string(),
      logo_url: z.string().nullable(),
      verified: z.boolean(),
    }),
    app: z.object({
      app_id: z.string(),
      name: z.string(),
      tos_url: z.string().nullable(),
      tos_version: z.string(),
      logo_url: z.string().nullable(),
    }),
    required_proofs: z.array(z.string()),
    requested_claims: z.array(z.string()),
    expires_at: timestamp.nullable(),
    meeting: z
      .object({
        platform: z.string().optional(),
        topic: z.string().optional(),
        scheduled_at: timestamp.optional(),
      })
      .nullable(),
  })
  .meta({ id: 'Preview' });

export type PreviewBody = z.output<typeof previewBody>;
export const deletedBody = z.object({ link_uuid: z.string(), deleted: z.literal(true) });

const appIdForm = z.string().regex(/^[a-z0-9][a-z0-9-]{2,62}$/, 'an app id');
/** Foreign ids and old links may have any version of UUID: only the alphabet is checked. */
const linkUuidForm = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'a link id');
export const appPath = z.object({ app_id: appIdForm });
export const appLinkPath = z.object({ app_id: appIdForm, link_uuid: linkUuidForm });
export const linkPath = z.object({ link_uuid: linkUuidForm });
export const appQuery = z.object({ app_id: appIdForm.optional() });
export const linkTypePath = z.object({ link_type: z.enum(linkTypes) });
export const linkTypeQuery = z.object({ link_type: z.enum(linkTypes).optional() });
export const formatType = z.enum(['A', 'J', 'S', 'H']);
export const formatQuery = z.object({ format_type: formatType.default('A') });
export const formatPath = appLinkPath.extend({ format_type: formatType });

export const completeRequest = z
  .object({
    link_session_id: z
      .string()
      .regex(/^tc_[0-9a-z]{26}$/, 'a session id')
      .optional(),
    consent: z
      .object({
        accepted: z.boolean(),
        tos_version: z.string().min(1).max(40),
        claims: z.array(z.string().max(40)).max(20).default([]),
      })
      .optional(),
  })
  .meta({
    id: 'CompleteRedirectRequest',
    example: { consent: { accepted: true, tos_version: '1', claims: ['phone_number'] } },
  });

export const completedBody = z
  .object({
    link_session_id: z.string(),
    status: z.string(),
    /** Where the app leads the person next; null where the link and its app name no address. */
    redirect_url: z.string().nullable(),
    link_uuid: z.string(),
  })
  .meta({ id: 'CompletedRedirect' });
