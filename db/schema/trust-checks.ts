import {
  affidavitStates,
  outcomeValidities,
  type AssuranceLevel,
  type FaceProvider,
  type SandboxSubject,
  type SubjectReasons,
} from '../../domain/names.ts';
import type { LinkPolicy } from '../../domain/trust-checks/link-policy.ts';
import { proofTypes, type ProofState, type ProofType } from '../../workflows/proofs.ts';
import type { LogEntry, SkippedTime } from '../../workflows/trust-check/messages.ts';
import { trustCheckStates, type TrustCheckState } from '../../workflows/trust-check/state.ts';
import { accounts, apps } from './accounts.ts';
import { bytea, instant, oneOf } from './columns.ts';
import {
  boolean,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  sql,
  text,
  uniqueIndex,
} from './drizzle.ts';
import { links } from './links.ts';

export const proofType = pgEnum('proof_type', proofTypes);
export const affidavitState = pgEnum('affidavit_state', affidavitStates);
export const outcomeValidity = pgEnum('outcome_validity', outcomeValidities);

/** One proof as the API shows it. Only ids, enums, counts and digests. */
export interface ProofRow {
  type: ProofType;
  status: ProofState;
  attempt: number;
  max_attempts: number;
  reason_code: string | null;
  provider: string | null;
  evidence_hash: string | null;
}

export interface ConsentRow {
  accepted: boolean;
  tos_version: string;
  claims: string[];
  at: string;
}

/** Result of the rules for the proofs, even if a reviewer made the final decision. */
export interface DecisionRow {
  outcome: 'pass' | 'fail' | 'review';
  rule: string | null;
  level: AssuranceLevel;
  policy_version: string;
}

/**
 * Requirements of a session, copied from its link at begin. Later changes of the link do not affect
 * it.
 */
export interface RequestedProofRow {
  policy: LinkPolicy;
  requested_claims: string[];
  max_attempts: number;
  link_type: string;
  redirect_url: string | null;
  app_name: string;
  account_name: string;
}

/** SQL condition: the check has a proof in `processing`. */
export const isJudging = `status = 'collecting' AND proofs @> '[{"status": "processing"}]'`;
const hasImages = `decided_at IS NOT NULL AND images_removed_at IS NULL`;

export const trustChecks = pgTable(
  'trust_checks',
  {
    link_session_id: text('link_session_id').primaryKey(),
    link_uuid: text('link_uuid')
      .notNull()
      .references(() => links.link_uuid),
    app_id: text('app_id')
      .notNull()
      .references(() => apps.app_id),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    poly_user_id: text('poly_user_id'),
    device_id: text('device_id'),
    client: text('client').$type<'mobile' | 'web'>().notNull(),
    locale: text('locale'),
    return_to: text('return_to'),
    /** Title and reference of the link at begin, sealed as values of that link. */
    title_sealed: bytea('title_sealed'),
    reference_sealed: bytea('reference_sealed'),
    /** Keyed digests of the reference and of the words of both texts, copied from the link. */
    reference_blind: bytea('reference_blind'),
    words_blind: text('words_blind')
      .array()
      .notNull()
      .default(sql`'{}'`),
    status: text('status').$type<TrustCheckState>().notNull(),
    reason_code: text('reason_code'),
    outcome_validity: outcomeValidity('outcome_validity').notNull().default('valid'),
    /** The number of entries in `log`. */
    version: integer('version').notNull().default(0),
    /** Every step of the session, oldest first. */
    log: jsonb('log').$type<LogEntry[]>().notNull().default([]),
    /** Intervals that a test check was requested to skip. */
    skips: jsonb('skips').$type<SkippedTime[]>().notNull().default([]),
    proofs: jsonb('proofs').$type<ProofRow[]>().notNull(),
    /** Whether the person sees reasons: the account setting at begin. */
    subject_reasons: text('subject_reasons').$type<SubjectReasons>().notNull().default('plain'),
    /**
     * The account setting at begin, or lower if reduced since; null for a check of an older build.
     */
    image_retention_days: integer('image_retention_days'),
    asked: jsonb('asked').$type<RequestedProofRow>().notNull(),
    /** Expected values of the link at begin, sealed as a value of that link. */
    matching_sealed: bytea('matching_sealed'),
    consent: jsonb('consent').$type<ConsentRow>(),
    /** JSON of the claims from the proofs. */
    claims_sealed: bytea('claims_sealed'),
    /** Keyed digests of the prefixes of every word of the released name. */
    names_blind: text('names_blind')
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** Free-text reason of a cancellation. */
    cancel_reason_sealed: bytea('cancel_reason_sealed'),
    matching: jsonb('matching').$type<Record<string, string>>().notNull(),
    decision: jsonb('decision').$type<DecisionRow>(),
    /**
     * Keyed digest of the submitted document. Two checks with the same document are recognized only
     * by it.
     */
    document_blind: bytea('document_blind'),
    affidavit_id: text('affidavit_id'),
    affidavit_status: affidavitState('affidavit_status').notNull().default('none'),
    affidavit_reason: text('affidavit_reason'),
    affidavit_sha256: text('affidavit_sha256'),
    affidavit_available_at: instant('affidavit_available_at'),
    redacted_at: instant('redacted_at'),
    /** When its images and uploaded files were removed, or found not to exist. */
    images_removed_at: instant('images_removed_at'),
    livemode: boolean('livemode').notNull(),
    /** Test mode only: the outcome to simulate; null to judge the evidence. */
    sandbox_subject: text('sandbox_subject').$type<SandboxSubject>(),
    created_at: instant('created_at').notNull(),
    opened_at: instant('opened_at'),
    paired_at: instant('paired_at'),
    submitted_at: instant('submitted_at'),
    decided_at: instant('decided_at'),
    /** SHA-256 of the token with which the client that began the session resumes it. */
    resume_hash: bytea('resume_hash'),
    /** Number of its valid pair token, from 1; 0 before the first. */
    pair_generation: integer('pair_generation').notNull().default(0),
    pair_expires_at: instant('pair_expires_at'),
    /** The last used pair token and the request that used it. That request may be repeated. */
    pair_spent_generation: integer('pair_spent_generation').notNull().default(0),
    pair_spent_by: text('pair_spent_by'),
    /** Number of text messages with its pair token, and the request of the last one. */
    hand_over_sends: integer('hand_over_sends').notNull().default(0),
    hand_over_send_id: text('hand_over_send_id'),
    /**
     * Network of the begin request. The open sessions of one network are limited. In development a
     * phone joins the page that waits on its machine. Redaction clears it.
     */
    begun_from: text('begun_from'),
    /** True while it holds a use of its link: from just before it is opened until its end. */
    holds_use: boolean('holds_use').notNull().default(false),
    /** True until its workflow is known to be started: the outbox of the relay that starts it. */
    awaits_start: boolean('awaits_start').notNull().default(false),
  },
  (table) => [
    index('trust_checks_account').on(table.account_id, table.created_at, table.link_session_id),
    index('trust_checks_status').on(
      table.account_id,
      table.status,
      table.created_at,
      table.link_session_id,
    ),
    index('trust_checks_type').on(
      table.account_id,
      sql`(asked->>'link_type')`,
      table.created_at,
      table.link_session_id,
    ),
    index('trust_checks_reference')
      .on(table.account_id, table.reference_blind, table.created_at)
      .where(sql`reference_blind IS NOT NULL`),
    index('trust_checks_in_test')
      .on(table.account_id, table.created_at, table.link_session_id)
      .where(sql`NOT ${table.livemode}`),
    index('trust_checks_app').on(
      table.account_id,
      table.app_id,
      table.created_at,
      table.link_session_id,
    ),
    index('trust_checks_link').on(table.link_uuid, table.created_at),
    index('trust_checks_subject').on(
      table.poly_user_id,
      table.account_id,
      table.created_at,
      table.link_session_id,
    ),
    index('trust_checks_names').using('gin', table.account_id, table.names_blind),
    index('trust_checks_document')
      .on(table.account_id, table.document_blind)
      .where(sql`document_blind IS NOT NULL`),
    index('trust_checks_awaiting_start')
      .on(table.created_at)
      .where(sql`awaits_start`),
    // Checks with a proof in `processing`: a sweep sends their updates again.
    index('trust_checks_judging').on(table.link_session_id).where(sql.raw(isJudging)),
    // Checks with images to remove, oldest first.
    index('trust_checks_images')
      .on(table.account_id, table.decided_at, table.link_session_id)
      .where(sql.raw(hasImages)),
    index('trust_checks_images_days')
      .on(table.image_retention_days, table.decided_at, table.link_session_id)
      .where(sql.raw(`${hasImages} AND image_retention_days IS NOT NULL`)),
    // Running checks of a link are counted at each begin and pairing; ended ones can be many.
    index('trust_checks_open')
      .on(table.link_uuid)
      .where(
        sql`status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled')`,
      ),
    // Revoking a device ends the checks that run on it.
    index('trust_checks_device').on(table.device_id, table.created_at),
    oneOf('trust_checks_status_known', table.status, trustCheckStates),
  ],
);

/** Submission of one attempt at one proof, and its verdict. */
export const proofSubmissions = pgTable(
  'proof_submissions',
  {
    submission_id: text('submission_id').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    proof: proofType('proof').notNull(),
    /** JSON of the input: an entered code, evidence ids, a challenge. */
    input_sealed: bytea('input_sealed'),
    /** JSON of the claims, the facts and the device. */
    claims_sealed: bytea('claims_sealed'),
    /**
     * JSON of the judged evidence files, without their images but with the positions of the images.
     */
    evidence_sealed: bytea('evidence_sealed'),
    evidence_hash: text('evidence_hash'),
    outcome: text('outcome'),
    reason_code: text('reason_code'),
    verdict: jsonb('verdict').$type<Record<string, unknown>>(),
    created_at: instant('created_at').notNull(),
    judged_at: instant('judged_at'),
  },
  (table) => [index('proof_submissions_session').on(table.link_session_id)],
);

export const proofChallenges = pgTable(
  'proof_challenges',
  {
    challenge_id: text('challenge_id').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    proof: proofType('proof').notNull(),
    challenge: bytea('challenge').notNull(),
    /** Version of the master secret from which the key for a chip is derived. */
    secret_version: integer('secret_version').notNull().default(1),
    expires_at: instant('expires_at').notNull(),
    used_at: instant('used_at'),
    /**
     * Provider that judges the response instead of this service, and its session for this
     * challenge.
     */
    provider: text('provider').$type<FaceProvider>(),
    provider_session: text('provider_session'),
  },
  (table) => [
    uniqueIndex('proof_challenges_provider_session')
      .on(table.provider, table.provider_session)
      .where(sql`provider_session IS NOT NULL`),
    index('proof_challenges_session').on(table.link_session_id, table.proof),
    index('proof_challenges_expiry').on(table.expires_at),
  ],
);
