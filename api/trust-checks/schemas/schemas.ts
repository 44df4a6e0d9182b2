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
    outcome_validity: z.enum(outcomeValidities).describe('Whether a passed outcome is still valid'),
    redaction_status: z
      .enum(['none', 'redacted'])
      .describe('Whether the personal data was removed'),
    proofs: z.array(proofBody),
    claims: z
      .record(z.string(), z.unknown())
      .describe(
        'Claims that were requested, proven and consented to; empty before the decision and ' +
          'after a redaction',
      ),
    matching: z
      .record(z.string(), z.string())
      .describe(
        'Result for each expected value: `match`, `mismatch` or `not_checked`; empty for the ' +
          'check token',
      ),
    decision: decisionBody.nullable().describe('Decision of the rules on the proofs'),
    subject_reasons: z
      .enum(subjectReasons)
      .describe(
        'What the person sees, as set in the account at the begin. With `neutral`, until the ' +
          'check passes, the check token gets no `reason_code`, no `decision` and no claims. A ' +
          'judged or skipped proof is `submitted`. A proof that can be tried again keeps a ' +
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
        'Number of steps of the check. Its affidavit, a revocation and a redaction come ' +
          'after the last step and do not count. To order them, use the `sequence` of their ' +
          'events',
      ),
    sandbox: z.boolean().describe('Whether the app is in test mode'),
    sandbox_subject: z
      .enum(sandboxSubjects)
      .nullable()
      .describe('Outcome set in test mode; null if the evidence decides'),
  })
  .meta({ id: 'TrustCheck' });

const decisions = ['approve', 'reject', 'retry'] as const;

export const reviewBody = z
  .object({
    reviewer: z.string().meta({ description: 'ID of the API key or person' }),
    reviewer_name: z.string().nullable().meta({ description: 'Name of the API key' }),
    decision: z.enum(decisions),
    note: z.string().nullable().meta({ description: 'Null after a redaction' }),
    decided_at: timestamp,
  })
  .meta({ id: 'Review' });

export const reviewRequestBody = z
  .object({
    proof: z.enum(proofTypes),
    note: z.string().nullable().meta({ description: 'Null after a redaction' }),
    created_at: timestamp,
  })
  .meta({ id: 'ReviewRequest' });

export const readBody = sessionBody.extend({
  verified_claims_token: z
    .string()
    .nullable()
    .describe(
      'Signed claims (JWT). Only for the holder of the check token, after the check has ' +
        'passed; else null',
    ),
  redirect_url: z
    .string()
    .nullable()
    .describe(
      'Where the person goes next. Only for the holder of the check token, once the check ' +
        'has ended or is in review; else null',
    ),
  cancel_reason: z
    .string()
    .nullable()
    .describe('Reason given at the cancellation; null for the check token'),
  reviews: z
    .array(reviewBody)
    .describe('Decisions of reviewers, in order; empty for the check token'),
  review_requests: z
    .array(reviewRequestBody)
    .describe('Reviews that the person requested instead of a proof; empty for the check token'),
});

export const begunBody = sessionBody
  .extend({
    client: z
      .enum(['mobile', 'web'])
      .describe(
        'Client that began the session; `web` also if a phone joined the session of a web page',
      ),
    check_token: z.string().describe('Bearer credential for this session only'),
    check_token_expires_at: timestamp,
    resume_token: z
      .string()
      .nullable()
      .describe(
        'Secret that continues this session in a later begin, for example after a reload. ' +
          'Null for a caller that joined in another way',
      ),
    socket: z
      .object({ url: z.string(), stream: z.string() })
      .describe('Where a socket receives the events of the session; see asyncapi.json'),
    ...pairAddress,
  })
  .meta({ id: 'BegunTrustCheck' });

export const beginRequest = z
  .object({
    link_uuid: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe('ID of the link'),
    app_id: z.string().max(63).optional().describe('App of the link; another app is refused'),
    link_token: z
      .string()
      .max(64)
      .optional()
      .describe('Token after `#t=` in the URL of a mailed link'),
    pair_token: z
      .string()
      .max(64)
      .optional()
      .describe('Token after `#p=` in the `pair_url` of a waiting page; works once'),
    resume_token: z
      .string()
      .max(128)
      .optional()
      .describe('Token of an earlier begin. Continues its session, which must be open'),
    join_token: z
      .string()
      .max(2048)
      .optional()
      .describe('Token of the join session that this check admits; a check admits one'),
    client: z
      .enum(['mobile', 'web'])
      .describe('`mobile` is the app on a phone, which can join the session of a waiting page'),
    locale: locale.optional().describe('Language of text messages; that of the link by default'),
    return_to: safeUrl.optional().meta({
      description:
        'Where the person goes at the end, at an origin of the app or of its redirect. A ' +
        'session keeps its first value. A client that joins can set a missing one.',
    }),
    sandbox_subject: sandboxSubject
      .optional()
      .describe('Outcome in test mode; that of the link by default'),
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
    code: z.string().min(1).max(32).optional().describe('phone: the code from the text message'),
    ...documentImages,
    ...chipAnswers,
    ...faceFrames,
    capture_signals: captureSignalList
      .optional()
      .describe('document, biometric: what the page noticed about browser and camera'),
    review_request: z
      .object({
        note: z
          .string()
          .trim()
          .min(1)
          .max(reviewNoteLengthMax)
          .describe('What prevents the proof, in words of the person; stored encrypted'),
      })
      .optional()
      .describe(
        'document, biometric: requests a review instead of pictures, if the policy has ' +
          '`review_on_unsure`. The proof becomes `in_review`',
      ),
  })
  .meta({ id: 'SubmitProofRequest', example: { code: '123456' } });

export const evidenceBody = z
  .object({
    evidence_id: evidenceId,
    sha256: z.string().describe('SHA-256 of the received bytes, in hex'),
    size_bytes: z.int(),
    content_type: z.string().describe('Media type, detected from the first bytes'),
  })
  .meta({ id: 'Evidence' });

export const cancelRequest = z
  .object({
    reason: z
      .string()
      .trim()
      .max(200)
      .optional()
      .describe('Reason, shown to the account; stored encrypted'),
  })
  .meta({ example: { reason: 'No longer needed' } })
  .optional();
export const reviewRequest = z
  .object({
    decision: z.enum(decisions).describe('`retry` gives the person another attempt'),
    note: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .describe('Reason, shown to the account; stored encrypted'),
  })
  .meta({ example: { decision: 'approve', note: 'The photographs are of one person' } });

export const sessionPath = z.object({
  id: z
    .string()
    .regex(/^tc_[0-9a-z]{26}$/, 'must be tc_ and 26 lowercase letters and digits')
    .describe('ID of the session (`link_session_id`)'),
});
export const evidencePath = sessionPath.extend({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be a plain file name')
    .describe('Your name of the file. The same bytes under one name are the same evidence'),
});
export const proofPath = sessionPath.extend({
  proof: z.enum(proofTypes).describe('A proof that the session requests'),
});
export const listQuery = z.object({
  ...pageQuery,
  cursor: cursorText,
  account_id: accountId.optional().describe('The account; that of the caller by default'),
  app_id: z.string().max(63).optional().describe('Returns only sessions of this app'),
  link_uuid: z.string().max(64).optional().describe('Returns only sessions of this link'),
  status: z.enum(trustCheckStates).optional().describe('Returns only sessions in this state'),
  ...filterQuery,
});
