import type { AssuranceLevel } from '../names.ts';
import { isComparedWith, type Proven } from './proven.ts';

/** What of a proof its level depends on. */
export type Worth = Pick<Proven, 'proof' | 'facts' | 'evidenceHash' | 'comparedWith'>;

/**
 * What proofs amount to that are taken for passed. Only an attested phone raises them above low,
 * for whatever else captures evidence may be a program; and only a chip does, for an image is
 * signed by nobody:
 * - `substantial`: a passport's chip that answered and so is no copy; or one that cannot answer,
 *   with the face of its holder;
 * - `high`: a chip that answered, with the face of its holder.
 * A face counts that was held against the portrait of this very chip. A passport signed with
 * SHA-1 raises nothing. No further proof lowers it.
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

/** Signed with SHA-1: taken where the operator has it so, and worth no more than an image. */
function isWeak({ facts }: Pick<Proven, 'facts'>): boolean {
  const weak = facts['weak_algorithms'];
  return Array.isArray(weak) && weak.length > 0;
}

/** By active or chip authentication: files alone are copied in a minute. */
function hasAnswered({ facts }: Pick<Proven, 'facts'>): boolean {
  const levels = facts['levels'];
  if (typeof levels !== 'object' || levels === null) return false;
  const { active, chip } = { active: null, chip: null, ...levels };
  return active === 'ok' || chip === 'ok';
}
