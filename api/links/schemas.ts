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
    title: shortText(200).optional().describe('What it is for; stored sealed'),
    required_proofs: proofs
      .optional()
      .describe('What has to be proven; the defaults of the app when left out'),
    requested_claims: z
      .array(z.enum(claimNames))
      .max(claimNames.length)
      .refine(isUnique)
      .meta({ uniqueItems: true })
      .optional()
      .describe('What is to be released of the person, who may consent to less'),
    matching_params: matchingParams.optional(),
    link_type: z
      .enum(linkTypes)
      .optional()
      .describe('`trust_check` when left out; the address of the operation comes first'),
    single_use: z
      .boolean()
      .optional()
      .describe(
        'Whether one session alone may use it, after which it is consumed; a mailed link always',
      ),
    max_uses: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        'How many sessions may be paired, 1 of a single-use link; without a limit when left out',
      ),
    max_attempts: z
      .int()
      .min(1)
      .max(10)
      .optional()
      .describe('How often each proof may be tried; 3 when left out'),
    not_before: instant
      .optional()
      .describe('From when on it works, between the years 1970 and 9998'),
    expires_at: instant
      .optional()
      .describe('Until when it works, after `not_before` and now, up to the year 9998'),
    redirect_url: safeUrl
      .optional()
      .describe(
        'Where the person is led when it is over, of an origin that the app allows or its own ' +
          'redirect has; that of the app when left out',
      ),
    reference_id: shortText(128)
      .optional()
      .describe('Your own id for link, checks and events; stored sealed'),
    job_id: z
      .string()
      .regex(/^\d{1,32}$/, 'must be a numeric id')
      .optional()
      .describe('Your own number for a batch of links, in digits'),
    metadata: metadata
      .optional()
      .describe('Up to 50 texts of your own by name, up to 500 characters each'),
    transaction_data: z
      .record(z.string().max(64), z.unknown())
      .optional()
      .describe(
        'Data of your own on what the check is for; shown by `GET /v2/raw/{link_uuid}` alone',
      ),
    policy: policy.optional(),
    meeting: meeting.optional().describe('The meeting the link belongs to'),
    locale: locale
      .optional()
      .describe('Language of mail and text messages, as `de-AT`; English where it is not spoken'),
    sandbox_subject: sandboxSubject
      .optional()
      .describe('How its checks are to come out, in test mode alone: /docs/guides/api#sandbox'),
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
      'Whom the link is mailed to; a session begins only with the secret in that mail',
    ),
    recipient_name: shortText(120).optional().describe('Whom the mail greets'),
    reference_note: shortText(500)
      .optional()
      .describe('A sentence of yours in the mail, as plain text'),
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
    title: shortText(200)
      .nullable()
      .optional()
      .describe('What the person is told it is for; null for nothing'),
    required_proofs: proofs
      .optional()
      .describe('What has to be proven, in sessions that begin from now on'),
    matching_params: matchingParams
      .nullable()
      .optional()
      .describe('What is expected of the person, in place of all that was; null for nothing'),
    expires_at: instant.nullable().optional().describe('Until when it works; null for good'),
    not_before: instant.nullable().optional().describe('From when on it works; null from now on'),
    paused: z
      .boolean()
      .optional()
      .describe(
        'true lets no session begin until it is false again; 409 while a session holds the link',
      ),
    redirect_url: safeUrl
      .nullable()
      .optional()
      .describe(
        'Where the person is led in the end, of an origin of the app; null for where that leads',
      ),
    metadata: metadata.optional().describe('In place of all there was'),
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
    url: z.string().describe('The address for the person'),
    title: z.string().nullable(),
    status: z
      .enum(linkStates)
      .describe('As it is now; a single-use link is `reserved` while a session holds it'),
    single_use: z.boolean(),
    use_count: z.int().describe('Sessions that passed, failed or were declined'),
    max_uses: z.int().nullable(),
    required_proofs: z.array(z.string()),
    requested_claims: z.array(z.string()),
    created_by: z.string().describe('The id of the API key or of the person'),
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().describe('When a session that counts as a use last ended'),
    reference_id: z.string().nullable(),
    job_id: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    qr_svg_url: z.string().describe('A card with the address as a code to scan'),
  })
  .meta({ id: 'Link' });

export const sentLinkBody = linkBody.extend({ delivery }).meta({ id: 'SentLink' });

export const rawLinkBody = linkBody
  .extend({
    matching_params: storedMatchingParams.nullable().describe('Expected values; null for a VIEWER'),
    policy: storedPolicy,
    transaction_data: z.record(z.string(), z.unknown()).nullable(),
    meeting: meeting.nullable().describe('As it was given, its time in UTC'),
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
    actionable: z
      .boolean()
      .describe('Whether a check can begin, or the one that holds the link go on'),
    requester: z.object({
      account_name: z.string(),
      logo_url: z.string().nullable(),
      verified: z.boolean().describe('Whether the operator of this service vouches for the name'),
    }),
    app: z.object({
      app_id: z.string(),
      name: z.string(),
      tos_url: z.string().nullable(),
      tos_version: z.string().describe('What consent has to name'),
      logo_url: z.string().nullable().describe('A PNG at an address of this service'),
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

const appOfLink = appId.describe('The app of the link');
/** Only the alphabet is checked: foreign ids and old links may have any version of UUID. */
const linkUuidForm = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a link id')
  .describe('The link');
export const appPath = z.object({ app_id: appOfLink });
export const appLinkPath = z.object({ app_id: appOfLink, link_uuid: linkUuidForm });
export const linkPath = z.object({ link_uuid: linkUuidForm });
export const appQuery = z.object({
  app_id: appId.optional().describe('The app of the link, which then has to be the one'),
});
export const linkTypePath = z.object({
  link_type: z.enum(linkTypes).describe('What the link is for'),
});
export const linkTypeQuery = z.object({
  link_type: z.enum(linkTypes).optional().describe('Comes before the one in the body'),
});
/** For a path that creates one type: the query may repeat that type, but name no other. */
export const onlyTypeQuery = (linkType: LinkType) =>
  z.object({
    link_type: z
      .enum([linkType])
      .optional()
      .describe('What the address makes; comes before the one in the body'),
  });
const formatType = z
  .enum(['A', 'J', 'S', 'H'])
  .describe('J for JSON, S for an SVG card, H for a page, A for what the client asks for');
export const formatQuery = z.object({ format_type: formatType.default('A') });
export const previewQuery = formatQuery.extend({
  pair_token: z
    .string()
    .regex(/^tc_[0-9a-z]{26}\.[1-9]\d{0,8}\.[A-Za-z0-9_-]{22}$/)
    .optional()
    .describe('Of a session that waits for its phone: the code to scan leads there'),
  locale: z
    .string()
    .max(64)
    .optional()
    .describe('Language of the page, before that of the link and of `Accept-Language`'),
});
export const formatPath = appLinkPath.extend({ format_type: formatType });
