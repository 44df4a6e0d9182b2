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

/** What is kept of what the proofs of a check yielded, and of what the rules made of it. */
export interface StoredOutcome {
  readonly claimsSealed: Buffer | null;
  readonly namesBlind: readonly string[];
  readonly matching: Readonly<Record<string, string>>;
  readonly decision: DecisionRow;
  readonly documentBlind: Buffer | null;
}

/**
 * Stores the claims that the proofs yielded (sealed), digests to find the released name and the
 * document by, the matching, and the decision. Writes nothing if the check has ended.
 */
export async function writeOutcome(on: Queryable, id: string, kept: StoredOutcome): Promise<void> {
  await setOutcome(on, {
    link_session_id: id,
    claims_sealed: kept.claimsSealed,
    matching: kept.matching,
    names_blind: kept.namesBlind,
    decision: kept.decision,
    document_blind: kept.documentBlind,
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

/** The document a check was shown, and who showed it. */
export interface DocumentUse {
  readonly session: Pick<TrustCheckRow, 'account_id' | 'livemode' | 'link_session_id'>;
  /** What it is kept as. */
  readonly blind: Buffer;
  /** What it is held against. */
  readonly against: readonly Buffer[];
  /** The same for all that may be held against each other. */
  readonly lock: Buffer;
  readonly polyUserId: string | null;
}

/** Has all others who decide on the same document in an account wait for this transaction. */
export async function lockDocument(
  tx: Tx,
  { session: { account_id }, lock }: DocumentUse,
): Promise<void> {
  await lockDocumentOf(tx, { account_id, lock });
}

/**
 * Whether somebody else has passed by this document in the account, or is about to. Nobody who is
 * not known is taken for the same person.
 */
export async function isUsedByOther(
  tx: Tx,
  { session: { account_id, livemode, link_session_id }, against, polyUserId }: DocumentUse,
): Promise<boolean> {
  const found = await othersOf(tx, { account_id, against, livemode, link_session_id, polyUserId });
  return found.length > 0;
}
