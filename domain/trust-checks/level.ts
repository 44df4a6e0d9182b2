import type { AssuranceLevel } from '../names.ts';
import { isComparedWith, type Proven } from './proven.ts';

/** The members of a proof that determine its level. */
export type Worth = Pick<Proven, 'proof' | 'facts' | 'evidenceHash' | 'comparedWith'>;

/**
 * Returns the level of proofs, assuming that they passed. Only an attested phone raises it above
 * low, because any other client may be a program. Only a chip raises it, because images are
 * unsigned:
 * - `substantial`: a passport's chip that answered, so it is not a copy; or one that cannot
 *   answer, with the face of its holder;
 * - `high`: a chip that answered, with the face of its holder.
 * A face counts only if it was compared with the portrait of this chip. A passport signed with
 * SHA-1 does not raise the level. No further proof lowers it.
 */
export function levelOf(proven: readonly Worth[]): AssuranceLevel {
  const of = (proof: Proven['proof']) => proven.find((each) => each.proof === proof);
  const chip = of('nfc_passport');
  if (!chip || isWeak(chip) || !of('device')) return 'low';
  const face = of('biometric');
  const hasFace = face !== undefined && isComparedWith(face, chip);
  if (hasAnswered(chip)) return hasFace ? 'high' : 'substantial';
  return hasFace ? 'substantial' : 'low';
}

/**
 * Whether it is signed with SHA-1: accepted if the operator allows it, but no better than an image.
 */
function isWeak({ facts }: Pick<Proven, 'facts'>): boolean {
  const weak = facts['weak_algorithms'];
  return Array.isArray(weak) && weak.length > 0;
}

/** Whether active or chip authentication succeeded. Without them, the files can be a copy. */
function hasAnswered({ facts }: Pick<Proven, 'facts'>): boolean {
  const levels = facts['levels'];
  if (typeof levels !== 'object' || levels === null) return false;
  const { active, chip } = { active: null, chip: null, ...levels };
  return active === 'ok' || chip === 'ok';
}
