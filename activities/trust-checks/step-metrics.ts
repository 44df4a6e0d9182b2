import type { LogEntry } from '../../workflows/trust-check/messages.ts';
import { measures } from '../runtime/measures.ts';

/** Counts the results of proofs and the seconds in each state, for the metrics of operators. */
export function recordStepMetrics(
  written: readonly LogEntry[],
  log: readonly LogEntry[],
  createdAt: Date,
): void {
  for (const { version, at, from, to, proof, proof_to: result } of written) {
    // `processing` is not a result yet.
    if (proof && result && result !== 'processing') measures.step.tell({ proof, result });
    if (!from || !to) continue;
    const entered = log.findLast((earlier) => earlier.version < version && earlier.to);
    const since = entered ? new Date(entered.at) : createdAt;
    const ms = new Date(at).getTime() - since.getTime();
    measures.step.tell({ from, to, seconds: Math.max(0, ms) / 1000 });
  }
}
