import { proofsFailedBy } from '../../activities/trust-checks/sandbox-outcomes.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import type { SandboxSubject } from '../../domain/names.ts';
import { InvalidRequest } from '../http/problem/problem.ts';

/**
 * Refuses a subject that would have no effect: on a live link, or if it fails a proof that the link
 * does not require.
 * @param field the member of the body at fault
 * @throws InvalidRequest
 */
export function checkSubject(
  subject: SandboxSubject | null | undefined,
  { livemode, required_proofs }: Pick<LinkRow, 'livemode' | 'required_proofs'>,
  field = 'sandbox_subject',
): void {
  if (!subject) return;
  const fault = (type: string, msg: string): never => {
    throw new InvalidRequest([{ loc: ['body', field], msg, type }]);
  };
  if (livemode) fault('live_mode', 'only in test mode');
  const failed = proofsFailedBy(subject);
  if (failed.length > 0 && !failed.some((proof) => required_proofs.includes(proof))) {
    const named = failed.join(' or ');
    fault('proof_not_asked', `${subject} fails the proof ${named}, which is not asked for`);
  }
}
