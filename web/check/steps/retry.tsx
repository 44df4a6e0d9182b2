import { useWords } from '../parts/say.ts';
import { Notice } from '../parts/screen.tsx';
import type { ShownProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import type { CameraStepProps } from './proof-step.tsx';

/** Shows why the last attempt did not pass, and the number of this attempt. */
export function Retry({ proof }: { readonly proof: ShownProof }) {
  const { say, sayReason } = useWords();
  if (proof.status !== 'requires_retry') return null;
  const { attempt, max_attempts: most } = proof;
  return (
    <Notice key={attempt} tone="bad">
      {sayReason(proof)} {say('check.retry.attempt', { attempt: attempt + 1, most })}
    </Notice>
  );
}

interface MoveOnProps {
  readonly check: Check;
  readonly askReview?: CameraStepProps['askReview'];
}

/**
 * Alternatives to a step: another device at any step, and a review if the step needs the camera.
 */
export function MoveOn({ check, askReview = null }: MoveOnProps) {
  const { say } = useWords();
  return (
    <>
      <p class="move small">
        <button type="button" class="quiet" onClick={() => check.move('elsewhere')}>
          {say('check.move')}
        </button>
      </p>
      {askReview && (
        <p class="move small">
          <button type="button" class="quiet" onClick={askReview}>
            {say('check.review.offer')}
          </button>
        </p>
      )}
    </>
  );
}
