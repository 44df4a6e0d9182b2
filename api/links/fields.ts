import { z } from 'zod';
import {
  assuranceLevels,
  captureRules,
  duplicatesRules,
  sandboxSubjects,
} from '../../domain/names.ts';
import { stateCodes } from '../../domain/proofs/mrz/countries.ts';
import { deliveryStates } from '../../workflows/link-invitation/state.ts';
import { isFaceComparable, servedProofs } from '../../workflows/proofs.ts';
import { notBlank, unique } from '../http/fields/declared-rules.ts';
import { emailText, isUnique, shortText } from '../http/fields/fields.ts';

/** A face alone shows that a person was present, but not who it is. */
const portraitNeeded = 'must have nfc_passport or document beside biometric';

export const proofs = z
  .array(z.enum(servedProofs))
  .min(1)
  .max(5)
  .refine(isUnique, 'must have each proof once')
  .refine(isFaceComparable, portraitNeeded)
  .meta({
    ...unique,
    not: {
      allOf: [
        { contains: { const: 'biometric' } },
        { not: { contains: { enum: ['nfc_passport', 'document'] } } },
      ],
    },
  });
const state = z
  .enum(stateCodes, 'must be an ISO 3166-1 alpha-3 code, as DEU, or a code of ICAO 9303-3')
  .meta({ id: 'State', description: 'ISO 3166-1 alpha-3, or a code of ICAO 9303-3 §5' });
/** For responses: stored links may have a code that is not in the list. */
const storedState = z.string().regex(/^[A-Z]{3}$/);

export const matchingParams = z
  .object({
    full_name: shortText(200)
      .optional()
      .describe(
        'Name. Matches if the longer name has every word of the shorter; accents and case do ' +
          'not count',
      ),
    date_of_birth: z.iso.date().optional().describe('Date of birth, as in the passport'),
    email: emailText
      .optional()
      .describe('Email address. No proof establishes it yet: `not_checked`'),
    phone_number: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, 'must be E.164, as +4915112345678')
      .optional()
      .describe('Number in E.164; compared with the number that received the code'),
    issuing_country: state.optional(),
    place_of_birth: shortText(200)
      .optional()
      .describe('Place of birth, as in the document; another spelling is `unsure`'),
    nationality: state.optional(),
    region: z
      .string()
      .regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'must be an ISO 3166-2 code, as US-CA')
      .optional()
      .describe('Region in the address on a North American card, ISO 3166-2'),
    document_number: shortText(40)
      .optional()
      .describe('Document number; case, blanks and hyphens do not count'),
    expires_on: z.iso.date().optional().describe('Last day on which the document is valid'),
    custom: z
      .record(shortText(40), shortText(200))
      .meta({ propertyNames: { maxLength: 40, ...notBlank } })
      .optional()
      .describe('More values with names of your own. No proof establishes them: `not_checked`'),
  })
  .meta({
    id: 'MatchingParams',
    description:
      'Expected values of the person, stored encrypted. People who open the link do not ' +
      'see them. A mismatch fails the check',
  });

export const policy = z
  .object({
    min_level: z
      .enum(assuranceLevels)
      .optional()
      .describe(
        'Minimum level of a check. An attested phone with a passport chip reaches substantial, ' +
          'with the face as well high; all else is low',
      ),
    max_age_days: z
      .int()
      .min(1)
      .max(3650)
      .optional()
      .describe(
        'Maximum days since the vendor vouched for the phone: at enrollment, or by a ' +
          '`play_token` or an App Attest receipt',
      ),
    allowed_countries: z
      .array(state)
      .max(250)
      .optional()
      .describe(
        'Countries whose documents are accepted; without it those of all countries. A check ' +
          'whose proofs give no country fails',
      ),
    review_on_unsure: z
      .boolean()
      .optional()
      .describe(
        'Whether an inconclusive proof or comparison leads to a review. By default it fails the ' +
          'check',
      ),
    web_allowed: z
      .boolean()
      .optional()
      .describe(
        'Whether a browser can finish the check where no proof needs the app. Default true',
      ),
    duplicates: z
      .enum(duplicatesRules)
      .optional()
      .describe('What to do if another person has passed with the same document. Default `allow`'),
    capture: z
      .enum(captureRules)
      .optional()
      .describe(
        'How the page takes pictures of a document: `live` by the camera, `any` also from files. ' +
          'Default `live`',
      ),
  })
  .meta({ id: 'LinkPolicy', description: 'Rules for the outcome; an update replaces all of them' });

/** Response schemas are separate: requests reject unknown members, responses may get new ones. */
export const storedMatchingParams = matchingParams.extend({
  issuing_country: storedState.optional(),
  nationality: storedState.optional(),
});
export const storedPolicy = policy.extend({ allowed_countries: z.array(storedState).optional() });

export const meeting = z.object({
  platform: z.enum(['conf-a', 'conf-b', 'sandbox']).optional().describe('Platform of the meeting'),
  topic: shortText(200).optional().describe('Topic; shown in the preview'),
  organization: shortText(200)
    .optional()
    .describe('Organization of the meeting; only `links.raw` shows it'),
  scheduled_at: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Start time; shown in the preview'),
  duration_minutes: z
    .int()
    .min(1)
    .max(1440)
    .optional()
    .describe('Planned duration; only `links.raw` shows it'),
  host_email: emailText.optional().describe('Email address of the host; only `links.raw` shows it'),
});

/** The forced outcome of a check in test mode, whatever is submitted. */
export const sandboxSubject = z.enum(sandboxSubjects);

/** The answer of a person to the request for consent. */
export const consentFields = {
  accepted: z.boolean().describe('`false` ends the session as declined'),
  tos_version: z.string().min(1).max(40).describe('Version of the terms that the person saw'),
  claims: z
    .array(z.string().max(40))
    .max(20)
    .overwrite((claims) => [...new Set(claims)])
    .default([])
    .describe('Requested claims that the person allows to be released'),
};

/** The delivery state of the mail that carries a link. */
export const delivery = z.object({
  status: z
    .enum(deliveryStates)
    .describe(
      'Delivery of the mail: `deferred` is retried, `blocked` was refused this time, ' +
        '`bounced` has no such address, `failed` was not sent, `complained` was marked as ' +
        'spam',
    ),
  message_id: z.string().optional(),
});
