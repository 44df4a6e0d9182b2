import { z } from 'zod';
import { affidavitStates, outcomeValidities } from '../../db/names.ts';
import { proofStates, proofTypes, type ProofType } from '../../workflows/proofs.ts';
import { safeUrl } from '../links/schemas.ts';
import { pageQuery } from '../paging.ts';
import { trustCheckStates } from '../../workflows/trust-check/state.ts';

const timestamp = z.iso.datetime();
/** Text, not one of a list: rows on record keep the codes of their time. */
const reasonCode = z
  .string()
  .nullable()
  .meta({ description: 'What each code means, and what to do: /docs#reasons' });

export const proofBody = z
  .object({
    type: z.enum(proofTypes),
    status: z.enum(proofStates),
    attempt: z.int(),
    max_attempts: z.int(),
    reason_code: reasonCode,
    provider: z.string().nullable(),
    evidence_hash: z.string().nullable(),
  })
  .meta({ id: 'Proof' });

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
    outcome_validity: z.enum(outcomeValidities),
    redaction_status: z.enum(['none', 'redacted']),
    proofs: z.array(proofBody),
    claims: z.record(z.string(), z.unknown()),
    matching: z.record(z.string(), z.string()),
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
    submitted_at: timestamp.nullable(),
    decided_at: timestamp.nullable(),
    sequence: z.int(),
    sandbox: z.boolean(),
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

export const readBody = sessionBody
  .extend({
    /** For the holder of the check token, once the check has passed; else null. */
    verified_claims_token: z.string().nullable(),
    /** What whoever canceled gave as their reason; for the account, null for the check token. */
    cancel_reason: z.string().nullable(),
    /** Who decided it in review, and why, in their order; for the account, none for the token. */
    reviews: z.array(reviewBody),
  })
  .meta({ id: 'ReadTrustCheck' });

export const begunBody = sessionBody
  .extend({
    /** What began the session: `web` where a phone has joined the one a page waits with. */
    client: z.enum(['mobile', 'web']),
    check_token: z.string(),
    check_token_expires_at: timestamp,
    socket: z.object({ url: z.string(), stream: z.string() }),
    pair_url: z.string(),
    qr_svg_url: z.string(),
  })
  .meta({ id: 'BegunTrustCheck' });

export const beginRequest = z
  .object({
    link_uuid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    app_id: z.string().max(63).optional(),
    link_token: z.string().max(64).optional(),
    client: z.enum(['mobile', 'web']),
    locale: z
      .string()
      .regex(/^[a-z]{2}(-[A-Z]{2})?$/)
      .optional(),
    return_to: safeUrl.optional().meta({
      description:
        'Where the person is led when it is over: of an origin of the app, or of its redirect. ' +
        'A session keeps the first that was named; one that is joined takes it if it has none.',
    }),
  })
  .meta({
    id: 'BeginTrustCheckRequest',
    example: { link_uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', client: 'web' },
  });

export const consentRequest = z
  .object({
    accepted: z.boolean(),
    tos_version: z.string().min(1).max(40),
    claims: z.array(z.string().max(40)).max(20).default([]),
  })
  .meta({
    id: 'ConsentRequest',
    example: { accepted: true, tos_version: '1', claims: ['phone_number'] },
  });

export const sendCodeRequest = z
  .object({ phone_number: z.string().min(1).max(32) })
  .meta({ example: { phone_number: '+4915112345678' } });
export const sentCodeBody = z
  .object({ sent_to: z.string(), expires_at: timestamp, resend_after: timestamp })
  .meta({ id: 'SentCode' });

const evidenceId = z.string().regex(/^ev_[0-9a-z]{26}$/, 'an evidence id');
export const challengeId = z.string().regex(/^ch_[0-9a-z]{26}$/, 'a challenge id');

/** One shape per proof; which of them is meant is in the path. */
export const submitProofRequest = z
  .object({
    code: z.string().min(1).max(32).optional(),
    sod: evidenceId.optional(),
    data_groups: z
      .record(z.string().regex(/^DG([1-9]|1[0-6])$/, 'DG1 to DG16'), evidenceId)
      .optional(),
    active_auth: z
      .object({ challenge_id: challengeId.optional(), signature: evidenceId })
      .optional(),
  })
  .meta({ id: 'SubmitProofRequest', example: { code: '123456' } });

/** What each proof cannot do without. */
export const neededOf: Readonly<
  Partial<Record<ProofType, readonly (keyof z.output<typeof submitProofRequest>)[]>>
> = { phone: ['code'], nfc_passport: ['sod', 'data_groups'] };

export const evidenceBody = z
  .object({
    evidence_id: evidenceId,
    sha256: z.string(),
    size_bytes: z.int(),
    content_type: z.string(),
  })
  .meta({ id: 'Evidence' });

export const cancelRequest = z
  .object({ reason: z.string().trim().max(200).optional() })
  .meta({ example: { reason: 'No longer needed' } })
  .optional();
export const reviewRequest = z
  .object({
    decision: z.enum(decisions),
    note: z.string().trim().min(1).max(1000),
  })
  .meta({ example: { decision: 'approve', note: 'The photographs are of one person' } });

export const sessionPath = z.object({ id: z.string().regex(/^tc_[0-9a-z]{26}$/, 'a session id') });
export const evidencePath = sessionPath.extend({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a plain file name'),
});
export const proofPath = sessionPath.extend({ proof: z.enum(proofTypes) });
export const listQuery = z.object({
  ...pageQuery,
  account_id: z.coerce.number().int().optional(),
  app_id: z.string().max(63).optional(),
  link_uuid: z.string().max(64).optional(),
  status: z.enum(trustCheckStates).optional(),
  reference_id: z.string().max(128).optional(),
});

export const eventBody = z
  .object({
    event_id: z.string(),
    type: z.string(),
    api_version: z.string(),
    created_at: timestamp,
    account_id: z.int(),
    app_id: z.string().nullable(),
    livemode: z.boolean(),
    stream: z.string(),
    sequence: z.int(),
    object_id: z.string(),
    data: z.object({ object: z.record(z.string(), z.unknown()) }),
    previous: z.object({ status: z.string().optional() }).nullable(),
  })
  .meta({ id: 'Event' });

export const eventPage = z
  .object({ items: z.array(eventBody), next_after: z.string(), has_more: z.boolean() })
  .meta({ id: 'EventPage' });
