import type { ProofType } from '../proofs.ts';
import type { LogEntry, ProofSnapshot } from './messages.ts';

interface Judged {
  readonly proofs: readonly Pick<ProofSnapshot, 'type' | 'status'>[];
  readonly log: readonly LogEntry[];
}

/** Returns the id of the submission that is still being judged, or null if there is none. */
export const processingOf = (session: Judged, type: ProofType): string | null =>
  processingEntryOf(session, type)?.submission_id ?? null;

/** Returns the log entry of that submission, which has the time, or null. */
export function processingEntryOf({ proofs, log }: Judged, type: ProofType): LogEntry | null {
  if (proofs.find((proof) => proof.type === type)?.status !== 'processing') return null;
  return log.findLast(({ proof }) => proof === type) ?? null;
}
