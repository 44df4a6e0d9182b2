import { z } from 'zod';
import { linkStates, linkTypes, claimNames, type LinkType } from '../../domain/names.ts';
import {
  emailText,
  instant,
  isUnique,
  safeUrl,
  shortText,
  metadata,
} from '../http/fields/fields.ts';
import { appId } from '../http/fields/ids.ts';
import { locale } from '../http/server/locale.ts';
import {
  delivery,
  matchingParams,
  meeting,
  policy,
  proofs,
  sandboxSubject,
  storedMatchingParams,
  storedPolicy,
} from './fields.ts';

export const createLinkRequest = z
  .object({
    title: shortText(200)
      .optional()
      .describe('Purpose of the link, which the person sees; stored encrypted'),
    required_proofs: proofs.optional().describe('Required proofs; those of the app by default'),
    requested_claims: z
      .array(z.enum(claimNames))
      .max(claimNames.length)
      .refine(isUnique)
      .meta({ uniqueItems: true })
      .optional()
      .describe('Requested claims about the person, who can consent to fewer'),
    matching_params: matchingParams.optional(),
    link_type: z
      .enum(linkTypes)
      .optional()
      .describe('`trust_check` by default; the path of the operation overrides it'),
    single_use: z
      .boolean()
      .optional()
      .describe('Whether only one session can use the link and consumes it; always true if mailed'),
    max_uses: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Maximum paired sessions, 1 for a single-use link; no limit by default'),
    max_attempts: z
      .int()
      .min(1)
      .max(10)
      .optional()
      .describe('Maximum attempts for each proof; 3 by default'),
    not_before: instant
      .optional()
      .describe('When the link starts to work, in the years 1970 to 9998'),
    expires_at: instant
      .optional()
      .describe(
        'When the link stops to work: in the future, after `not_before`, up to the year 9998',
      ),
    redirect_url: safeUrl
      .optional()
      .describe(
        'Where the person goes at the end: a URL at an allowed origin of the app or the ' +
          'origin of its redirect; the redirect of the app by default',
      ),
    reference_id: shortText(128)
      .optional()
      .describe('Your ID for link, checks and events; stored encrypted'),
    job_id: z
      .string()
      .regex(/^\d{1,32}$/, 'must be a numeric id')
      .optional()
      .describe('Your numeric ID for a batch of links'),
    metadata: metadata
      .optional()
      .describe('Up to 50 values with names of your own, each up to 500 characters'),
    transaction_data: z
      .record(z.string().max(64), z.unknown())
      .optional()
      .describe('Your own data on the purpose; only `GET /v2/raw/{link_uuid}` shows it'),
    policy: policy.optional(),
    meeting: meeting.optional().describe('Meeting of the link'),
    locale: locale
      .optional()
      .describe('Language of messages, as `de-AT`; English if it is not supported'),
    sandbox_subject: sandboxSubject
      .optional()
      .describe('Outcome of its checks in test mode: /docs/guides/api#sandbox'),
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
    send_to_email: emailText.describe(
      'Recipient of the mail. A session needs the secret in that mail',
    ),
    recipient_name: shortText(120).optional().describe('Name for the greeting in the mail'),
    reference_note: shortText(500)
      .optional()
      .describe('Your own sentence in the mail, as plain text'),
  })
  .meta({
    id: 'SendLinkRequest',
    example: {
      send_to_email: 'recipient@example.test',
      title: 'Confirm who you are',
      required_proofs: ['phone'],
    },
  });

/** null clears a field that may be empty. A PATCH has no defaults. */
export const updateLinkRequest = z
  .object({
    title: shortText(200).nullable().optional().describe('Purpose of the link; null removes it'),
    required_proofs: proofs
      .optional()
      .describe('Required proofs of sessions that begin from now on'),
    matching_params: matchingParams
      .nullable()
      .optional()
      .describe('Expected values; replaces all earlier ones, null removes them'),
    expires_at: instant
      .nullable()
      .optional()
      .describe('When the link stops to work; null for never'),
    not_before: instant
      .nullable()
      .optional()
      .describe('When the link starts to work; null for now'),
    paused: z
      .boolean()
      .optional()
      .describe('Whether no session can begin; 409 while a session holds the link'),
    redirect_url: safeUrl
      .nullable()
      .optional()
      .describe('Where the person goes at the end, at an origin of the app; null for its redirect'),
    metadata: metadata.optional().describe('Replaces all earlier metadata'),
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
    url: z.string().describe('URL for the person'),
    title: z.string().nullable(),
    status: z
      .enum(linkStates)
      .describe('Current state; `reserved` while a session holds a single-use link'),
    single_use: z.boolean(),
    use_count: z.int().describe('Number of sessions that passed, failed or were declined'),
    max_uses: z.int().nullable(),
    required_proofs: z.array(z.string()),
    requested_claims: z.array(z.string()),
    created_by: z.string().describe('ID of the API key or person'),
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().describe('When the last session that counts as a use ended'),
    reference_id: z.string().nullable(),
    job_id: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    qr_svg_url: z.string().describe('URL of a card with `url` as a QR code'),
  })
  .meta({ id: 'Link' });

export const sentLinkBody = linkBody.extend({ delivery }).meta({ id: 'SentLink' });

export const rawLinkBody = linkBody
  .extend({
    matching_params: storedMatchingParams.nullable().describe('Expected values; null for a VIEWER'),
    policy: storedPolicy,
    transaction_data: z.record(z.string(), z.unknown()).nullable(),
    meeting: meeting.nullable().describe('As submitted, its time in UTC'),
    delivery: delivery.extend({ at: timestamp }).nullable(),
    sandbox_subject: sandboxSubject.nullable(),
    sessions: z.array(z.object({ link_session_id: z.string(), status: z.string(), at: timestamp })),
  })
  .meta({ id: 'RawLink' });

export const previewBody = z
  .object({
    link_uuid: z.string(),
    title: z.string().nullable(),
    link_type: z.enum(linkTypes),
    status: z.enum(linkStates),
    actionable: z.boolean().describe('Whether a check can begin, or the current one continue'),
    requester: z.object({
      account_name: z.string(),
      logo_url: z.string().nullable(),
      verified: z.boolean().describe('Whether the operator has verified the organization'),
    }),
    app: z.object({
      app_id: z.string(),
      name: z.string(),
      tos_url: z.string().nullable(),
      tos_version: z.string().describe('Version of the terms for the consent'),
      logo_url: z.string().nullable().describe('URL of a PNG at this service'),
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

export const successBody = previewBody
  .pick({ requester: true })
  .extend({
    /** Null for the page of an app. */
    link_uuid: z.string().nullable(),
    status: z.enum(linkStates).nullable(),
    app: previewBody.shape.app.pick({ app_id: true, name: true, logo_url: true }),
  })
  .meta({ id: 'Success' });
export type SuccessBody = z.output<typeof successBody>;

export const deletedBody = z.object({ link_uuid: z.string(), deleted: z.literal(true) });

const appOfLink = appId.describe('ID of the app of the link');
/** Only the alphabet is checked: foreign ids and old links may have any version of UUID. */
const linkUuidForm = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a link id')
  .describe('ID of the link');
export const appPath = z.object({ app_id: appOfLink });
export const appLinkPath = z.object({ app_id: appOfLink, link_uuid: linkUuidForm });
export const linkPath = z.object({ link_uuid: linkUuidForm });
export const appQuery = z.object({
  app_id: appId.optional().describe('App of the link; another app is refused'),
});
export const linkTypePath = z.object({
  link_type: z.enum(linkTypes).describe('Type of the link'),
});
export const linkTypeQuery = z.object({
  link_type: z
    .enum(linkTypes)
    .optional()
    .describe('Type of the link; overrides the one in the body'),
});
/** For a path that creates one type: the query may repeat that type, but name no other. */
export const onlyTypeQuery = (linkType: LinkType) =>
  z.object({
    link_type: z
      .enum([linkType])
      .optional()
      .describe('Type by the path; overrides the one in the body'),
  });
const formatType = z
  .enum(['A', 'J', 'S', 'H'])
  .describe('J: JSON, S: SVG card, H: page, A: by `Accept`');
export const formatQuery = z.object({ format_type: formatType.default('A') });
export const previewQuery = formatQuery.extend({
  pair_token: z
    .string()
    .regex(/^tc_[0-9a-z]{26}\.[1-9]\d{0,8}\.[A-Za-z0-9_-]{22}$/)
    .optional()
    .describe('ID of a session that waits for its phone; the QR code leads to it'),
  locale: z
    .string()
    .max(64)
    .optional()
    .describe('Language of the page; overrides the link and `Accept-Language`'),
});
export const formatPath = appLinkPath.extend({ format_type: formatType });
