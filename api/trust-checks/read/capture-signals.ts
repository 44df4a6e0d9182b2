import { lastSubmission } from '../../../activities/proofs/count-submissions.ts';
import { listJudged } from '../../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import type { CaptureSignal } from '../../../domain/names.ts';
import { captureSignalsIn } from '../../../domain/trust-checks/capture.ts';
import type { ProofType } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';

/** Adds to each proof the signals that the page reported with its last attempt, for the account. */
export async function withCaptureSignals<Proof extends { readonly type: ProofType }>(
  { db }: Pick<Deps, 'db'>,
  session: TrustCheckRow,
  proofs: readonly Proof[],
): Promise<(Proof & { capture_signals?: CaptureSignal[] })[]> {
  const judged = await listJudged(db, session.link_session_id);
  return proofs.map((proof) => {
    const last = lastSubmission(session.log, judged, proof.type);
    const signals = captureSignalsIn(last?.verdict);
    return signals.length === 0 ? proof : { ...proof, capture_signals: [...signals] };
  });
}
