import { statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, isNull } from '../schema/drizzle.ts';
import { type DecisionRow, trustChecks } from '../schema/trust-checks.ts';
import type { TrustCheckRow } from './trust-checks.ts';

const {
  claims_sealed,
  decided_at,
  decision,
  document_blind,
  link_session_id,
  matching,
  names_blind,
} = trustChecks;

const setOutcome = prepare(
  'trust_checks.set_outcome',
  { link_session_id, claims_sealed, matching, names_blind, decision, document_blind },
  ({ by: { link_session_id: _id, ...row }, equals }) =>
    build
      .update(trustChecks)
      .set(row)
      .where(and(equals.link_session_id, isNull(decided_at))),
);

/** Stored results of the proofs of a check, and of the rules. */
export interface StoredOutcome {
  readonly claimsSealed: Buffer | null;
  readonly namesBlind: readonly string[];
  readonly matching: Readonly<Record<string, string>>;
  readonly decision: DecisionRow;
  readonly documentBlind: Buffer | null;
}

/**
 * Stores the claims from the proofs (sealed), digests to find the released name and the document
 * by, the matching, and the decision. Writes nothing if the check has ended.
 */
export async function writeOutcome(
  on: Queryable,
  id: string,
  outcome: StoredOutcome,
): Promise<void> {
  await setOutcome(on, {
    link_session_id: id,
    claims_sealed: outcome.claimsSealed,
    matching: outcome.matching,
    names_blind: outcome.namesBlind,
    decision: outcome.decision,
    document_blind: outcome.documentBlind,
  });
}

const lockDocumentOf = statement(
  'trust_checks.lock_document',
  `SELECT pg_advisory_xact_lock(
     hashtextextended('trust_checks ' || :account_id::int || ' ' || encode(:lock::bytea, 'hex'),
     0))`,
);
const othersOf = statement<{ is_shown: boolean }>(
  'trust_checks.others_of_document',
  `SELECT true AS is_shown FROM trust_checks t
   WHERE t.account_id = :account_id AND t.document_blind = ANY (:against) AND t.livemode = :livemode
     AND t.link_session_id <> :link_session_id AND t.outcome_validity <> 'revoked'
     AND (t.status = 'passed' OR t.decision->>'outcome' = 'pass'
       AND t.status NOT IN ('failed', 'declined', 'expired', 'abandoned', 'canceled'))
     AND NOT EXISTS (
       SELECT 1 FROM poly_users a JOIN poly_users b USING (identity_group_id)
       WHERE a.poly_user_id = t.poly_user_id AND b.poly_user_id = :polyUserId)
   LIMIT 1`,
);

/** The document submitted in a check, and who submitted it. */
export interface DocumentUse {
  readonly session: Pick<TrustCheckRow, 'account_id' | 'livemode' | 'link_session_id'>;
  /** Digest under which it is stored. */
  readonly blind: Buffer;
  /** Digests to compare it with. */
  readonly against: readonly Buffer[];
  /** Lock key: the same for all documents that may be compared with each other. */
  readonly lock: Buffer;
  readonly polyUserId: string | null;
}

/** Serializes decisions on the same document in an account, until the transaction ends. */
export async function lockDocument(
  tx: Tx,
  { session: { account_id }, lock }: DocumentUse,
): Promise<void> {
  await lockDocumentOf(tx, { account_id, lock });
}

/**
 * Returns true if another person has passed, or is about to pass, with this document in the
 * account. An unknown person always counts as another person.
 */
export async function isUsedByOther(
  tx: Tx,
  { session: { account_id, livemode, link_session_id }, against, polyUserId }: DocumentUse,
): Promise<boolean> {
  const found = await othersOf(tx, { account_id, against, livemode, link_session_id, polyUserId });
  return found.length > 0;
}
