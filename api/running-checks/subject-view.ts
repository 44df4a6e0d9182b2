import { eventObject, type EventObject } from '../../db/queries/event-object.ts';
import type { EventRow } from '../../db/queries/events.ts';
import type { sessionObject } from '../../db/queries/session-object.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { isRetryReason } from '../../domain/proofs/retry-reasons.ts';
import type { ProofState } from '../../workflows/proofs.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';

type ReasonSetting = Pick<TrustCheckRow, 'subject_reasons' | 'status'>;
type Proof = Pick<
  TrustCheckRow['proofs'][number],
  'status' | 'reason_code' | 'provider' | 'evidence_hash'
>;
type Shown = Pick<
  ReturnType<typeof sessionObject>,
  'matching' | 'decision' | 'reason_code' | 'proofs' | keyof ReasonSetting
>;

/**
 * Whether the subject sees only the outcome: the account chose `neutral` and the check has not
 * passed.
 */
export const isReasonWithheld = ({ subject_reasons, status }: ReasonSetting): boolean =>
  subject_reasons === 'neutral' && status !== 'passed';

/**
 * Returns a session as its subject may see it. It omits what the requester expects of them:
 * otherwise a guesser could find a date of birth. The account decides whether the subject sees
 * reasons.
 */
export function seenBySubject<Session extends Shown>(session: Session): Session {
  const { decision } = session;
  const proofs = session.proofs.map((proof) => proofSeenBySubject(session, proof));
  const seen = { ...session, matching: {}, proofs };
  if (isReasonWithheld(session)) return { ...seen, reason_code: null, decision: null };
  return { ...seen, decision: decision && { ...decision, rule: null } };
}

/** Returns a proof of a session as its subject may see it. */
export function proofSeenBySubject<Seen extends Proof>(session: ReasonSetting, proof: Seen): Seen {
  if (!isReasonWithheld(session)) return proof;
  const { reason_code: code } = proof;
  const isShown = proof.status === 'requires_retry' && code !== null && isRetryReason(code);
  return {
    ...proof,
    status: seenState(proof.status),
    reason_code: isShown ? code : null,
    // Both are null where nothing was judged.
    provider: null,
    evidence_hash: null,
  };
}

const judged: ReadonlySet<string> = new Set<ProofState>([
  'passed',
  'failed',
  'in_review',
  // No longer needed, because another proof failed.
  'skipped',
]);

/** Hides which proof failed, because that would be a reason. */
const seenState = <State extends string>(state: State): State | 'submitted' =>
  judged.has(state) ? 'submitted' : state;

/** Returns an event as the subject may see it, if it carries a session. */
export function eventSeenBySubject(event: EventObject): EventObject {
  const { object } = event.data;
  if (!isSession(object)) return event;
  const seen = { ...event, data: { ...event.data, object: seenBySubject(object) } };
  const { proof_status: status } = object;
  if (typeof status !== 'string' || !isReasonWithheld(object)) return seen;
  const { previous } = event;
  const before = previous?.status;
  return {
    ...seen,
    data: { ...seen.data, object: { ...seen.data.object, proof_status: seenState(status) } },
    previous: before === undefined ? previous : { ...previous, status: seenState(before) },
  };
}

const isSession = (object: object): object is Shown & Record<string, unknown> =>
  'matching' in object && 'decision' in object;

/** Returns an event as this kind of caller may see it. */
export async function presentEvent(
  sealer: Deps['sealer'],
  row: EventRow,
  { kind }: Pick<Caller, 'kind'>,
): Promise<EventObject> {
  const event = await eventObject(sealer, row);
  return kind === 'check-token' ? eventSeenBySubject(event) : event;
}
