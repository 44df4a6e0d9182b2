import type { Tx } from '../../db/client.ts';
import {
  isUsedByOther,
  lockDocument,
  writeOutcome,
  type DocumentUse,
  type StoredOutcome,
} from '../../db/queries/check-outcomes.ts';
import { listJudged, type JudgedSubmissionRow } from '../../db/queries/proofs.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import type { ClaimName } from '../../domain/names.ts';
import type { StoredClaims } from '../../domain/proofs/claims.ts';
import { decide, type DecideInput, type Decision } from '../../domain/trust-checks/decide.ts';
import {
  matchClaims,
  reportedMatching,
  type MatchingParams,
} from '../../domain/trust-checks/match.ts';
import { claimsOf, documentOf, type Proven } from '../../domain/trust-checks/proven.ts';
import type { StepAnswer } from '../../workflows/trust-check/steps.ts';
import { nameDigests } from '../identity/names.ts';
import { openLinkValue } from '../links/sealed-values.ts';
import { countSubmissions } from '../proofs/count-submissions.ts';
import { openClaims } from '../proofs/evidence/evidence-repository.ts';
import type { TrustCheckActivityDeps } from './activities.ts';
import { releaseClaims } from './claims.ts';
import { sandboxDecision, applySandboxMatching, subjectOf } from './sandbox-outcomes.ts';
import { answerOf, changeCheck } from './take-step.ts';

/**
 * Decides a check. Gathers the claims of proofs that passed or may pass in review, compares them
 * with the expected values and with each other, and stores the outcome with the step in one
 * transaction. Concurrent checks with the same document are serialized: the second sees the first
 * as a duplicate.
 */
export async function decideCheck(deps: TrustCheckActivityDeps, id: string): Promise<StepAnswer> {
  const [session, judged] = await Promise.all([
    findTrustCheck(deps.db, id),
    listJudged(deps.db, id),
  ]);
  if (!session) throw new Error('the session does not exist');
  if (session.status !== 'processing') return answerOf(session);
  const asksForPhoto = releases(session, 'photo');
  const proven = await openProven(deps, session, countSubmissions(session.log, judged), {
    asksForPhoto,
  });
  const expected = await openExpected(deps, session);
  const matching = applySandboxMatching(
    subjectOf(session),
    matchClaims(expected, claimsOf(proven)),
  );
  const { policy } = session.asked;
  const reviewOnUnsure = policy.review_on_unsure ?? false;
  const facts = { snapshot: session, proven, matching, policy, reviewOnUnsure, now: deps.clock() };
  const seal = await sealOutcome(deps, session, proven);
  const documentUse = documentUsedBy(deps, session, proven);
  const lock = async (tx: Tx) => (documentUse ? lockDocument(tx, documentUse) : undefined);
  return changeCheck(deps, id, lock, async ({ tx, row, note, take }) => {
    // A repeat of this activity came first, so the facts gathered here are outdated.
    if (row().version !== session.version) return answerOf(row());
    const isDuplicate = documentUse !== null && (await isUsedByOther(tx, documentUse));
    const decision = decideAs(session, { ...facts, isDuplicate });
    const { move, reason_code } = decision;
    const outcome = seal(matching, decision, documentUse);
    note({ matching: { ...outcome.matching }, decision: outcome.decision });
    const [answer] = await Promise.all([
      take(`decide/${session.version}`, { kind: 'decide', move, reason_code }),
      writeOutcome(tx, id, outcome),
    ]);
    return answer;
  });
}

function decideAs(session: TrustCheckRow, input: DecideInput): Decision {
  const subject = subjectOf(session);
  return subject ? sandboxDecision(subject, input) : decide(input);
}

/** Whether the link requests a claim and the person consented to it. */
const releases = ({ consent, asked }: TrustCheckRow, claim: ClaimName): boolean =>
  asked.requested_claims.includes(claim) &&
  consent?.accepted === true &&
  consent.claims.includes(claim);

/**
 * Returns a function that builds the stored outcome. A refused check does not keep the document's
 * digest, so that it does not block later checks.
 */
async function sealOutcome(
  { sealer }: TrustCheckActivityDeps,
  { consent, ...session }: TrustCheckRow,
  proven: readonly Proven[],
) {
  const { link_session_id: id, account_id: accountId, created_at: at } = session;
  const context = `trust_checks|claims|${id}`;
  const of = (outcome: Proven['outcome']) =>
    claimsOf(proven.filter((each) => each.outcome === outcome));
  const [claims, unsure] = [of('passed'), of('unsure')];
  const kept: StoredClaims = { ...claims, unsure };
  const claimsSealed = await sealer.seal(accountOwner(accountId), context, JSON.stringify(kept));
  // Digests for search by name, only if the name is released to the account.
  const { full_name: name } = releaseClaims(claims, consent?.claims ?? [], at);
  const namesBlind = name === undefined ? [] : nameDigests(sealer, accountId, name);
  return (
    matching: DecideInput['matching'],
    { move, rule, level, policy_version }: Decision,
    documentUse: DocumentUse | null,
  ): StoredOutcome => ({
    claimsSealed,
    namesBlind,
    matching: reportedMatching(matching),
    decision: { outcome: move, rule, level, policy_version },
    documentBlind: documentUse && move !== 'fail' ? documentUse.blind : null,
  });
}

/** A chip is compared with chips only: a picture of a document must not block its real holder. */
function documentUsedBy(
  { sealer }: TrustCheckActivityDeps,
  session: TrustCheckRow,
  proven: readonly Proven[],
): DocumentUse | null {
  const document = documentOf(proven);
  if (!document) return null;
  const of = (place: string) =>
    sealer.blind(`document|${session.account_id}|${place}`, document.key);
  const { poly_user_id: polyUserId } = session;
  const against = document.isChip ? [of('chip')] : [of('chip'), of('image')];
  const blind = of(document.isChip ? 'chip' : 'image');
  return { session, polyUserId, blind, against, lock: of('any') };
}

/** Returns what the link expects of the person; empty after redaction. */
export async function openExpected(
  { sealer }: Pick<TrustCheckActivityDeps, 'sealer'>,
  session: TrustCheckRow,
): Promise<MatchingParams> {
  const { matching_sealed: sealed } = session;
  return (await openLinkValue<MatchingParams>(sealer, session, 'matching', sealed)) ?? {};
}

/** Returns the opened claims of each proof's last submission that passed or is unsure. */
async function openProven(
  { db, sealer, photos }: TrustCheckActivityDeps,
  { account_id, link_session_id: id }: TrustCheckRow,
  judged: readonly JudgedSubmissionRow[],
  { asksForPhoto }: { readonly asksForPhoto: boolean },
): Promise<Proven[]> {
  const last = new Map(judged.filter(isProven).map((row) => [row.proof, row]));
  const proven: Proven[] = [];
  // One at a time, since each may hold photographs in memory.
  for (const { submission_id: submissionId, proof, outcome, ...row } of last.values()) {
    const of = { accountId: account_id, submissionId };
    const kept = await openClaims({ db, sealer }, of);
    if (!kept) continue;
    const { facts, device_id: deviceId, compared_with: comparedWith } = kept;
    const photo = asksForPhoto && proof === 'nfc_passport' ? await photos.publish(id, of) : null;
    const claims = photo === null ? kept.claims : { ...kept.claims, photo };
    const opened = { claims, facts, deviceId, comparedWith };
    const { judged_at: judgedAt, evidence_hash: evidenceHash } = row;
    proven.push({ proof, outcome, judgedAt, evidenceHash, ...opened });
  }
  return proven;
}

type ProvenRow = JudgedSubmissionRow & Pick<Proven, 'outcome'> & { judged_at: Date };

const isProven = (row: JudgedSubmissionRow): row is ProvenRow =>
  (row.outcome === 'passed' || row.outcome === 'unsure') && row.judged_at !== null;
