import type { ProofType } from '../proofs.ts';
import type { LogEntry, ProofSnapshot } from './messages.ts';

interface Judged {
  readonly proofs: readonly Pick<ProofSnapshot, 'type' | 'status'>[];
  readonly log: readonly LogEntry[];
}

/** The submission of a proof whose judgement takes longer than its call; null for none. */
export const processingOf = (session: Judged, type: ProofType): string | null =>
  processingEntryOf(session, type)?.submission_id ?? null;

/** Its entry in the log, which has the time. */
export function processingEntryOf({ proofs, log }: Judged, type: ProofType): LogEntry | null {
  if (proofs.find((proof) => proof.type === type)?.status !== 'processing') return null;
  return log.findLast(({ proof }) => proof === type) ?? null;
}
