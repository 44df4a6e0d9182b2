import { proofsFailedBy } from '../../activities/trust-checks/sandbox-outcomes.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import type { SandboxSubject } from '../../domain/names.ts';
import { InvalidRequest } from '../http/problem/problem.ts';

/**
 * Throws `InvalidRequest` for a subject that could force nothing: of a live link, or one that fails
 * a proof which the link does not ask for. Nothing is taken and then ignored.
 * @param field the field of the body that is at fault
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
