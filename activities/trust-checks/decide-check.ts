import { lockedTransaction, type Queryable, type Tx } from '../../db/client.ts';
import {
  isShownByOther,
  lockDocument,
  writeOutcome,
  type DocumentShown,
} from '../../db/queries/check-outcomes.ts';
import { listJudged, type JudgedSubmissionRow } from '../../db/queries/proofs.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import type { ClaimName } from '../../domain/names.ts';
import type { ClaimsKept } from '../../domain/proofs/claims.ts';
import {
  decide,
  type DecideInput,
  type Decision,
  type Ruling,
} from '../../domain/trust-checks/decide.ts';
import { matchClaims, toldMatching, type MatchingParams } from '../../domain/trust-checks/match.ts';
import { claimsOf, documentOf, type Proven } from '../../domain/trust-checks/proven.ts';
import type { TrustCheckSnapshot } from '../../workflows/trust-check/messages.ts';
import { nameDigests } from '../identity/names.ts';
import { openLinkValue } from '../links/sealed-values.ts';
import { countSubmissions } from '../proofs/count-submissions.ts';
import { openClaims } from '../proofs/evidence/kept-evidence.ts';
import type { TrustCheckActivityDeps } from './activities.ts';
import { releaseClaims } from './claims.ts';
import { forceDecision, forceMatching, subjectOf } from './force.ts';
import { isLeftBehind } from './project.ts';

export interface DecideCheckInput {
  readonly snapshot: TrustCheckSnapshot;
  readonly review_on_unsure: boolean;
}

/**
 * Gathers what the proofs yielded that passed or that a reviewer may yet pass, holds it against
 * what was asked and against each other, decides, and keeps the outcome. Of two who show one
 * document at the same time, one is first.
 */
export async function decideCheck(
  deps: TrustCheckActivityDeps,
  { snapshot, review_on_unsure: reviewOnUnsure }: DecideCheckInput,
): Promise<Ruling> {
  const id = snapshot.link_session_id;
  const [session, judged] = await Promise.all([
    findTrustCheck(deps.db, id),
    listJudged(deps.db, id),
  ]);
  if (!session) throw new Error('the session does not exist');
  const asksForPhoto = releases(snapshot, session, 'photo');
  const proven = await openProven(deps, session, countSubmissions(snapshot.log, judged), {
    asksForPhoto,
  });
  const expected = await openExpected(deps, session);
  const matching = forceMatching(subjectOf(session), matchClaims(expected, claimsOf(proven)));
  const policy = session.asked.policy;
  const facts = { snapshot, proven, matching, policy, reviewOnUnsure, now: deps.clock() };
  const keep = await sealOutcome(deps, session, snapshot, proven);
  const shown = shownBy(deps, session, snapshot, proven);
  const rule = async (on: Queryable, isDuplicate: boolean): Promise<Ruling> => {
    const decision = decideAs(session, { ...facts, isDuplicate });
    // On record it came otherwise, and whoever was left behind will see so.
    if (!isLeftBehind(snapshot, session)) await keep(on, matching, decision, shown);
    return { move: decision.move, reason_code: decision.reason_code };
  };
  if (!shown) return rule(deps.db, false);
  const lock = (tx: Tx) => lockDocument(tx, shown);
  return lockedTransaction(deps.db, lock, async (tx) => rule(tx, await isShownByOther(tx, shown)));
}

function decideAs(session: TrustCheckRow, input: DecideInput): Decision {
  const subject = subjectOf(session);
  return subject ? forceDecision(subject, input) : decide(input);
}

/** Whether the link asks for a claim and the person consented to it. */
const releases = (
  { consent }: TrustCheckSnapshot,
  { asked }: TrustCheckRow,
  claim: ClaimName,
): boolean =>
  asked.requested_claims.includes(claim) &&
  consent?.accepted === true &&
  consent.claims.includes(claim);

/** Of a check that is refused the document is not kept: it stands in nobody's way. */
async function sealOutcome(
  { sealer }: TrustCheckActivityDeps,
  session: TrustCheckRow,
  { consent }: TrustCheckSnapshot,
  proven: readonly Proven[],
) {
  const { link_session_id: id, account_id: accountId, created_at: at } = session;
  const context = `trust_checks|claims|${id}`;
  const of = (outcome: Proven['outcome']) =>
    claimsOf(proven.filter((each) => each.outcome === outcome));
  const [claims, unsure] = [of('passed'), of('unsure')];
  const kept: ClaimsKept = { ...claims, unsure };
  const claimsSealed = await sealer.seal(accountOwner(accountId), context, JSON.stringify(kept));
  // What the name is found by that the account is shown, if it is shown one.
  const { full_name: name } = releaseClaims(claims, consent?.claims ?? [], at);
  const namesBlind = name === undefined ? [] : nameDigests(sealer, accountId, name);
  return (
    on: Queryable,
    matching: DecideInput['matching'],
    { move, rule, level, policy_version }: Decision,
    shown: DocumentShown | null,
  ): Promise<void> =>
    writeOutcome(on, id, {
      claimsSealed,
      namesBlind,
      matching: toldMatching(matching),
      decision: { outcome: move, rule, level, policy_version },
      documentBlind: shown && move !== 'fail' ? shown.blind : null,
    });
}

/** A chip is held against chips alone: whoever draws a page of it cannot keep its holder out. */
function shownBy(
  { sealer }: TrustCheckActivityDeps,
  session: TrustCheckRow,
  snapshot: TrustCheckSnapshot,
  proven: readonly Proven[],
): DocumentShown | null {
  const shown = documentOf(proven);
  if (!shown) return null;
  const of = (place: string) => sealer.blind(`document|${session.account_id}|${place}`, shown.key);
  // Of a page the workflow knows nobody: who began the check stands in its row.
  const polyUserId = snapshot.poly_user_id ?? session.poly_user_id;
  const against = shown.isChip ? [of('chip')] : [of('chip'), of('image')];
  const blind = of(shown.isChip ? 'chip' : 'image');
  return { session, polyUserId, blind, against, lock: of('any') };
}

/** What the link expects of the person; nothing once that is forgotten. */
export async function openExpected(
  { sealer }: Pick<TrustCheckActivityDeps, 'sealer'>,
  session: TrustCheckRow,
): Promise<MatchingParams> {
  const { matching_sealed: sealed } = session;
  return (await openLinkValue<MatchingParams>(sealer, session, 'matching', sealed)) ?? {};
}

/** The last submission of each proof that was not rejected, opened. */
async function openProven(
  { db, sealer, photos }: TrustCheckActivityDeps,
  { account_id, link_session_id: id }: TrustCheckRow,
  judged: readonly JudgedSubmissionRow[],
  { asksForPhoto }: { readonly asksForPhoto: boolean },
): Promise<Proven[]> {
  const last = new Map(judged.filter(isKept).map((row) => [row.proof, row]));
  const proven: Proven[] = [];
  // One after the other: each may hold photographs.
  for (const { submission_id: submissionId, proof, outcome, ...row } of last.values()) {
    const of = { accountId: account_id, submissionId };
    const kept = await openClaims({ db, sealer }, of);
    if (!kept) continue;
    const { facts, device_id: deviceId, compared_with: comparedWith } = kept;
    const photo = asksForPhoto && proof === 'nfc_passport' ? await photos.publish(id, of) : null;
    const claims = photo === null ? kept.claims : { ...kept.claims, photo };
    const told = { claims, facts, deviceId, comparedWith };
    const { judged_at: judgedAt, evidence_hash: evidenceHash } = row;
    proven.push({ proof, outcome, judgedAt, evidenceHash, ...told });
  }
  return proven;
}

type KeptRow = JudgedSubmissionRow & Pick<Proven, 'outcome'> & { judged_at: Date };

const isKept = (row: JudgedSubmissionRow): row is KeptRow =>
  (row.outcome === 'passed' || row.outcome === 'unsure') && row.judged_at !== null;
