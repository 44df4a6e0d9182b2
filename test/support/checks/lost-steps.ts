import { takeStep } from '../../../activities/trust-checks/take-step.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import type { TrustCheckSnapshot } from '../../../workflows/trust-check/messages.ts';
import type { TrustCheckStep } from '../../../workflows/trust-check/steps.ts';
import type { Session } from '../http/client.ts';

/**
 * Commits steps that the session's workflow does not record, with the same activity, as if the
 * workflow task was lost. Returns the snapshot after the last step.
 */
export async function loseSteps(
  db: Db,
  { id }: Pick<Session, 'id'>,
  ...steps: readonly (TrustCheckStep & { readonly step_id?: string })[]
): Promise<TrustCheckSnapshot> {
  const deps = { db, ids: randomIds, clock: () => new Date() };
  let last: TrustCheckSnapshot | null = null;
  for (const { step_id = randomIds.uuid(), ...step } of steps) {
    const taken = await takeStep(deps, { link_session_id: id, step_id, step });
    if (taken.refusal) throw new Error(taken.refusal.detail);
    last = taken.snapshot;
  }
  if (!last) throw new Error('no step was given');
  return last;
}

/** A judged attempt at the phone proof, with this outcome. */
export function attempted(
  outcome: 'rejected' | 'unsure' | 'passed',
  reason_code: string | null,
  submission_id = randomIds.make('sub'),
) {
  const judged = { outcome, reason_code, retryable: outcome === 'rejected' };
  const judgement = { ...judged, provider: null, evidence_hash: null };
  const step = { kind: 'settle', proof: 'phone', submission_id, judgement } as const;
  return { ...step, step_id: submission_id };
}

export const decided = (move: 'pass' | 'fail' | 'review', reason?: 'max_attempts_reached') =>
  ({ kind: 'decide', move, reason_code: reason ?? null }) as const;

/** No provider judged the proof, so a reviewer has to decide. */
export const unsure = () =>
  [attempted('unsure', 'provider_unavailable'), decided('review')] as const;

export const canceled = {
  kind: 'end',
  move: 'cancel',
  reason_code: 'requester_canceled',
} as const;
