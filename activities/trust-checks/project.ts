import { isDeepStrictEqual } from 'node:util';
import { lockedTransaction, type Db, type Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { appendEvents, type NewEvent } from '../../db/queries/events.ts';
import { releaseLink } from '../../db/queries/link-leases.ts';
import { decideReview } from '../../db/queries/reviews.ts';
import { sessionEvent, type SessionEventType } from '../../db/queries/session-event.ts';
import {
  findTrustCheck,
  lockTrustCheck,
  writeProjection,
  type TrustCheckRow,
} from '../../db/queries/trust-checks.ts';
import { portraitProofOf, type ProofState } from '../../workflows/proofs.ts';
import type {
  LogEntry,
  ProofSnapshot,
  TrustCheckSnapshot,
} from '../../workflows/trust-check/messages.ts';
import {
  isTrustCheckFinal,
  trustCheckReasons,
  type TrustCheckMove,
} from '../../workflows/trust-check/state.ts';
import { tellSteps } from './tell-steps.ts';

export interface ProjectDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
}

const eventOfMove: Readonly<Record<TrustCheckMove, SessionEventType | null>> = {
  open: 'trust_check.opened',
  pair: 'trust_check.paired',
  consent: 'trust_check.consented',
  decline: 'trust_check.declined',
  decide: 'trust_check.processing',
  pass: 'trust_check.passed',
  fail: 'trust_check.failed',
  review: 'trust_check.in_review',
  ask_again: 'trust_check.requires_retry',
  retry: 'trust_check.retried',
  expire: 'trust_check.expired',
  abandon: 'trust_check.abandoned',
  cancel: 'trust_check.canceled',
};

/**
 * Projects what a workflow answered. Most often its own step has done so already: then one look at
 * the row is all. An end is left to that step, which plans the affidavit with it: it may be told
 * before it is on record.
 */
export async function projectAnswer(
  deps: ProjectDeps,
  snapshot: TrustCheckSnapshot,
): Promise<TrustCheckRow> {
  const known = await findTrustCheck(deps.db, snapshot.link_session_id);
  const isOnRecord = known !== null && known.version >= snapshot.version;
  if (known && (isOnRecord || isTrustCheckFinal(snapshot.status))) return known;
  return projectSnapshot(deps, snapshot);
}

/**
 * Writes a workflow's snapshot over the row of its session and makes an event of every step the row
 * has not seen; a review that brought one about counts from then on. Called by whoever holds a
 * newer snapshot (the API after an update, the workflow's own steps). One that is older, or does
 * not go on from the steps on record, changes nothing: calls may be repeated, late, out of order.
 */
export async function projectSnapshot(
  deps: ProjectDeps,
  snapshot: TrustCheckSnapshot,
  planAffidavit: (tx: Tx, row: TrustCheckRow) => Promise<string | null> = async () => null,
): Promise<TrustCheckRow> {
  const lock = (tx: Tx) => lockTrustCheck(tx, snapshot.link_session_id);
  let written: readonly LogEntry[] = [];
  const row = await lockedTransaction(deps.db, lock, async (tx, before) => {
    if (!before) throw new Error('the session of a snapshot does not exist');
    if (before.version >= snapshot.version || !goesOn(before.log, snapshot.log)) return before;
    const { status } = snapshot;
    const [affidavit_id, linkEvents] = await Promise.all([
      planAffidavit(tx, before),
      isTrustCheckFinal(status) ? releaseLink(tx, { ...before, status }, deps.clock()) : [],
    ]);
    const after = await writeProjection(tx, { ...rowOf(snapshot), affidavit_id });
    if (!after) throw new Error('the session of a snapshot does not exist');
    const news = snapshot.log.filter((entry) => entry.version > before.version);
    for (const { review_id, at } of news) {
      if (review_id) await decideReview(tx, review_id, after, new Date(at));
    }
    const events = news.flatMap((entry) => eventsOf(entry, snapshot.log, after, before));
    await appendEvents(tx, { ids: deps.ids, now: deps.clock() }, [...events, ...linkEvents]);
    written = news;
    return after;
  });
  tellSteps(written, snapshot.log, row.created_at);
  return row;
}

/** What is on record of a check, for a workflow that was left behind it; else null. */
export function otherOnRecord(
  snapshot: TrustCheckSnapshot,
  row: TrustCheckRow,
): TrustCheckSnapshot | null {
  if (!isLeftBehind(snapshot, row)) return null;
  const { link_session_id, version, status, proofs, poly_user_id, device_id, consent, log } = row;
  const reason_code = trustCheckReasons.find((known) => known === row.reason_code) ?? null;
  const told = { status, reason_code, proofs, poly_user_id, device_id, consent };
  return { link_session_id, version, ...told, log };
}

/**
 * Whether steps are on record that a workflow with this snapshot does not know: a task of it was
 * lost after it had written them. A row of before the log was kept cannot tell.
 */
export function isLeftBehind(snapshot: TrustCheckSnapshot, row: TrustCheckRow): boolean {
  return row.log.length === row.version && !goesOn(row.log, snapshot.log);
}

/** Whether a log begins with the steps on record: none was taken back, none put in between. */
function goesOn(onRecord: readonly LogEntry[], log: readonly LogEntry[]): boolean {
  return onRecord.every((entry, index) => isDeepStrictEqual(entry, log[index]));
}

/** When the log first says that the session moved this way. */
function timeOf(snapshot: TrustCheckSnapshot, ...moves: TrustCheckMove[]): Date | null {
  const entry = snapshot.log.find((candidate) => candidate.move && moves.includes(candidate.move));
  return entry ? new Date(entry.at) : null;
}

function rowOf(snapshot: TrustCheckSnapshot) {
  const last = snapshot.log.at(-1);
  return {
    link_session_id: snapshot.link_session_id,
    status: snapshot.status,
    reason_code: snapshot.reason_code,
    version: snapshot.version,
    log: snapshot.log,
    proofs: snapshot.proofs.map((proof) => ({ ...proof })),
    consent: snapshot.consent && { ...snapshot.consent, claims: [...snapshot.consent.claims] },
    poly_user_id: snapshot.poly_user_id,
    device_id: snapshot.device_id,
    opened_at: timeOf(snapshot, 'open'),
    paired_at: timeOf(snapshot, 'pair'),
    submitted_at: timeOf(snapshot, 'decide'),
    decided_at: isTrustCheckFinal(snapshot.status) && last ? new Date(last.at) : null,
  };
}

function eventsOf(
  entry: LogEntry,
  log: readonly LogEntry[],
  row: TrustCheckRow,
  before: TrustCheckRow,
): NewEvent[] {
  const session = asOf(entry, log, row, before);
  if (entry.proof && entry.proof_to) {
    const told = { proof: entry.proof, proof_status: entry.proof_to };
    return [sessionEvent(session, 'proof.updated', told, entry.proof_from)];
  }
  const type = entry.move ? eventOfMove[entry.move] : null;
  if (!type || !entry.to) return [];
  return [sessionEvent(session, type, {}, entry.from)];
}

/**
 * The session when it took a step. Several steps are written at once: the event of each shows how
 * it stood then, not how it came out.
 */
function asOf(
  { version }: LogEntry,
  log: readonly LogEntry[],
  row: TrustCheckRow,
  before: TrustCheckRow,
): TrustCheckRow {
  const [taken, later] = [log.slice(0, version), log.slice(version)];
  if (later.length === 0) return row;
  const status = taken.findLast(({ to }) => to)?.to ?? 'created';
  const has = (...moves: TrustCheckMove[]): boolean =>
    taken.some(({ move }) => move !== undefined && moves.includes(move));
  // Matched by the step after `decide`.
  const isMatched = taken.at(-1)?.move !== 'decide' && !later.some(({ move }) => move === 'decide');
  const unmatched = Object.fromEntries(Object.keys(row.matching).map((k) => [k, 'not_checked']));
  return {
    ...row,
    version,
    status,
    reason_code: null,
    proofs: row.proofs.map((proof) => proofAsOf(proof, taken, row.proofs)),
    matching: isMatched ? row.matching : unmatched,
    decision: isMatched ? row.decision : null,
    consent: has('consent', 'decline') ? row.consent : null,
    // Whoever begins a check may have shown who they are.
    poly_user_id: has('pair') ? row.poly_user_id : before.poly_user_id,
    device_id: has('pair') ? row.device_id : null,
    opened_at: has('open') ? row.opened_at : null,
    paired_at: has('pair') ? row.paired_at : null,
    submitted_at: has('decide') ? row.submitted_at : null,
    decided_at: null,
    affidavit_status: 'none',
    affidavit_id: null,
  };
}

/** What an attempt was judged to be is kept of the last one only. */
function proofAsOf(
  proof: ProofSnapshot,
  taken: readonly LogEntry[],
  proofs: readonly ProofSnapshot[],
): ProofSnapshot {
  const shows =
    proof.type === 'biometric' ? portraitProofOf(proofs.map(({ type }) => type)) : undefined;
  let attempt = 0;
  let status: ProofState = 'waiting_for_prerequisite';
  // A face waits for its portrait, and anew where that is tried again.
  let isAwaited = shows !== undefined;
  for (const entry of taken) {
    const opened = isAwaited ? 'waiting_for_prerequisite' : 'ready';
    if (entry.move === 'consent') status = opened;
    if (entry.move === 'retry' && (status !== 'passed' || isAwaited)) {
      [attempt, status] = [0, opened];
    }
    if (!entry.proof_to) continue;
    if (entry.proof === shows) isAwaited = entry.proof_to !== 'passed';
    if (entry.proof !== proof.type) continue;
    // Being judged is no step of its own: each attempt is one step, its end.
    if (entry.proof_from === 'processing') attempt += 1;
    status = entry.proof_to;
  }
  const told = { ...proof, status, attempt };
  return attempt === proof.attempt ? told : { ...told, reason_code: null, evidence_hash: null };
}
