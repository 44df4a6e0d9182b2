import { z } from 'zod';
import {
  affidavitStates,
  outcomeValidities,
  sandboxSubjects,
  subjectReasons,
} from '../../../domain/names.ts';
import { reviewNoteLengthMax } from '../../../domain/trust-checks/review-request.ts';
import { proofTypes } from '../../../workflows/proofs.ts';
import { trustCheckStates } from '../../../workflows/trust-check/state.ts';
import { safeUrl, reasonCode } from '../../http/fields/fields.ts';
import { accountId } from '../../http/fields/ids.ts';
import { filterQuery } from '../../http/fields/list-filters.ts';
import { cursorText, pageQuery } from '../../http/fields/paging.ts';
import { locale } from '../../http/server/locale.ts';
import { consentFields, sandboxSubject } from '../../links/fields.ts';
import { decisionBody } from './decision.ts';
import { chipAnswers, documentImages, evidenceId, faceFrames } from './evidence-ids.ts';
import { pairAddress, phoneNumber } from './pair-address.ts';
import { captureSignalList, proofBody } from './proof-body.ts';

const timestamp = z.iso.datetime();
export const sessionBody = z
  .object({
    link_session_id: z.string(),
    link_uuid: z.string(),
    app_id: z.string(),
    account_id: z.int(),
    poly_user_id: z.string().nullable(),
    reference_id: z.string().nullable(),
    status: z.enum(trustCheckStates),
    reason_code: reasonCode,
    outcome_validity: z.enum(outcomeValidities).describe('Whether a passed outcome still stands'),
    redaction_status: z
      .enum(['none', 'redacted'])
      .describe('Whether the personal data were removed'),
    proofs: z.array(proofBody),
    claims: z
      .record(z.string(), z.unknown())
      .describe(
        'What was asked for, proven and consented to; empty before the decision and once redacted',
      ),
    matching: z
      .record(z.string(), z.string())
      .describe('`match`, `mismatch` or `not_checked` by name; empty for the check token'),
    decision: decisionBody.nullable().describe('What the rules made of the proofs'),
    subject_reasons: z
      .enum(subjectReasons)
      .describe(
        'What the person sees, as the account had it at begin. With `neutral`, until the ' +
          'check passes, the check token gets no `reason_code`, no `decision` and no claims. A ' +
          'proof that was judged or skipped is `submitted`. One that can be tried again keeps a ' +
          '`reason_code` that says how',
      ),
    consent: z
      .object({
        accepted: z.boolean(),
        tos_version: z.string(),
        claims: z.array(z.string()),
        at: timestamp,
      })
      .nullable(),
    affidavit: z.object({
      status: z.enum(affidavitStates),
      /** Why it could not be issued. */
      reason_code: reasonCode,
      affidavit_id: z.string().nullable(),
      sha256: z.string().nullable(),
      available_at: timestamp.nullable(),
    }),
    created_at: timestamp,
    opened_at: timestamp.nullable(),
    paired_at: timestamp.nullable(),
    submitted_at: timestamp.nullable().describe('When all proofs were decided'),
    decided_at: timestamp.nullable(),
    sequence: z
      .int()
      .describe(
        'The steps of the check so far. Its affidavit, a revocation and a redaction come after ' +
          'the last one and do not count: the `sequence` of an event tells what is newer',
      ),
    sandbox: z.boolean().describe('Whether its app is in test mode'),
    sandbox_subject: z
      .enum(sandboxSubjects)
      .nullable()
      .describe('How it was made to come out, in test mode alone; null where the evidence says'),
  })
  .meta({ id: 'TrustCheck' });

const decisions = ['approve', 'reject', 'retry'] as const;

export const reviewBody = z
  .object({
    reviewer: z.string().meta({ description: 'The id of the API key or of the person' }),
    reviewer_name: z.string().nullable().meta({ description: 'What the key is called' }),
    decision: z.enum(decisions),
    note: z.string().nullable().meta({ description: 'Null once the check was redacted' }),
    decided_at: timestamp,
  })
  .meta({ id: 'Review' });

export const reviewRequestBody = z
  .object({
    proof: z.enum(proofTypes),
    note: z.string().nullable().meta({ description: 'Null once the check was redacted' }),
    created_at: timestamp,
  })
  .meta({ id: 'ReviewRequest' });

export const readBody = sessionBody.extend({
  verified_claims_token: z
    .string()
    .nullable()
    .describe('For the holder of the check token, once the check has passed; else null'),
  redirect_url: z
    .string()
    .nullable()
    .describe(
      'For the holder of the check token, once the check has ended or is in review: where the ' +
        'person goes next; else null',
    ),
  cancel_reason: z
    .string()
    .nullable()
    .describe('The reason that the caller who canceled gave; null for the check token'),
  reviews: z
    .array(reviewBody)
    .describe('Who decided it in review, and why, in their order; none for the check token'),
  review_requests: z
    .array(reviewRequestBody)
    .describe('What the person asked for in place of a proof; none for the check token'),
});

export const begunBody = sessionBody
  .extend({
    client: z
      .enum(['mobile', 'web'])
      .describe('What began the session: `web` where a phone joined the one a page waits with'),
    check_token: z.string().describe('The bearer credential of this session alone'),
    check_token_expires_at: timestamp,
    resume_token: z
      .string()
      .nullable()
      .describe(
        'Keep it secret: by it a later begin goes on with this session, as after a reload; null ' +
          'for a caller that joined by other means',
      ),
    socket: z
      .object({ url: z.string(), stream: z.string() })
      .describe('Where the events of the session come by socket, as asyncapi.json has it'),
    ...pairAddress,
  })
  .meta({ id: 'BegunTrustCheck' });

export const beginRequest = z
  .object({
    link_uuid: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('The link'),
    app_id: z.string().max(63).optional().describe('The app of the link, which then has to be it'),
    link_token: z
      .string()
      .max(64)
      .optional()
      .describe('Of a mailed link: what follows `#t=` in its address'),
    pair_token: z
      .string()
      .max(64)
      .optional()
      .describe('Of the page that waits: what follows `#p=` in its `pair_url`; works once'),
    resume_token: z
      .string()
      .max(128)
      .optional()
      .describe('Of an earlier begin: goes on with its session, which has to be open'),
    join_token: z
      .string()
      .max(2048)
      .optional()
      .describe('Of the join session this check is to let in; a check lets in one'),
    client: z
      .enum(['mobile', 'web'])
      .describe('`mobile` for the app of a phone, which may join a page that waits'),
    locale: locale.optional().describe('Language of text messages; that of the link when left out'),
    return_to: safeUrl.optional().meta({
      description:
        'Where the person is led when it is over: of an origin of the app, or of its redirect. ' +
        'A session keeps the first that was named; one that is joined takes it if it has none.',
    }),
    sandbox_subject: sandboxSubject
      .optional()
      .describe('How it is to come out, in test mode alone; that of the link when left out'),
  })
  .meta({
    id: 'BeginTrustCheckRequest',
    example: { link_uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', client: 'web' },
  });

export const consentRequest = z.object(consentFields).meta({
  id: 'ConsentRequest',
  example: { accepted: true, tos_version: '1', claims: ['phone_number'] },
});

export const sendCodeRequest = z
  .object(phoneNumber)
  .meta({ example: { phone_number: '+4915112345678' } });
/** The members of all proofs. The path says which proof is meant. */
export const submitProofRequest = z
  .object({
    code: z.string().min(1).max(32).optional().describe('phone: the code of the text message'),
    ...documentImages,
    ...chipAnswers,
    ...faceFrames,
    capture_signals: captureSignalList
      .optional()
      .describe('document, biometric: what the page noticed of browser and camera'),
    review_request: z
      .object({
        note: z
          .string()
          .trim()
          .min(1)
          .max(reviewNoteLengthMax)
          .describe('What prevents the proof, in words of the person; kept sealed'),
      })
      .optional()
      .describe(
        'document, biometric: instead of pictures, where the policy has `review_on_unsure`. The ' +
          'proof is `in_review`',
      ),
  })
  .meta({ id: 'SubmitProofRequest', example: { code: '123456' } });

export const evidenceBody = z
  .object({
    evidence_id: evidenceId,
    sha256: z.string().describe('Of the bytes as they came, hex'),
    size_bytes: z.int(),
    content_type: z.string().describe('By the first bytes, whatever was said of it'),
  })
  .meta({ id: 'Evidence' });

export const cancelRequest = z
  .object({
    reason: z
      .string()
      .trim()
      .max(200)
      .optional()
      .describe('Why; kept sealed, shown to the account'),
  })
  .meta({ example: { reason: 'No longer needed' } })
  .optional();
export const reviewRequest = z
  .object({
    decision: z.enum(decisions).describe('`retry` gives the person another attempt'),
    note: z.string().trim().min(1).max(1000).describe('Why; kept sealed, shown to the account'),
  })
  .meta({ example: { decision: 'approve', note: 'The photographs are of one person' } });

export const sessionPath = z.object({
  id: z
    .string()
    .regex(/^tc_[0-9a-z]{26}$/, 'must be tc_ and 26 lowercase letters and digits')
    .describe('The session (`link_session_id`)'),
});
export const evidencePath = sessionPath.extend({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be a plain file name')
    .describe('A name of yours; the same bytes under it are the same evidence'),
});
export const proofPath = sessionPath.extend({
  proof: z.enum(proofTypes).describe('One of those the session asks for'),
});
export const listQuery = z.object({
  ...pageQuery,
  cursor: cursorText,
  account_id: accountId.optional().describe('The account; the caller’s own when left out'),
  app_id: z.string().max(63).optional().describe('Only of this app'),
  link_uuid: z.string().max(64).optional().describe('Only of this link'),
  status: z.enum(trustCheckStates).optional().describe('Only in this state'),
  ...filterQuery,
});
