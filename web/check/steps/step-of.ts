import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { webProofs, type WebProof } from '../session/state.ts';

/** The place of a step among those of a check: consent, and each requested proof. */
export function stepOf(
  { proofs }: Pick<CheckFacts, 'proofs'>,
  step: 'consent' | WebProof,
): { readonly number: number; readonly count: number } {
  const steps = ['consent', ...webProofs.filter((proof) => proofs.includes(proof))];
  return { number: steps.indexOf(step) + 1, count: steps.length };
}
