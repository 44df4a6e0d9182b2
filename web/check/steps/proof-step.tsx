import { useState } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { useWords } from '../parts/say.ts';
import { Notice } from '../parts/screen.tsx';
import { judgedNow, type ShownProof, type WebProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import { AskReview } from './ask-review.tsx';
import { DocumentStep } from './document.tsx';
import { FaceStep } from './face.tsx';
import { PhoneStep } from './phone.tsx';

export interface StepProps {
  readonly facts: CheckFacts;
  readonly check: Check;
  readonly proof: ShownProof;
}

/** A step that a person may be unable to do. */
export interface CameraStepProps extends StepProps {
  /** Opens the request for a review; null if none is offered. */
  readonly askReview: (() => void) | null;
}

const steps: Readonly<Record<WebProof, (props: CameraStepProps) => preact.JSX.Element>> = {
  phone: PhoneStep,
  document: DocumentStep,
  biometric: FaceStep,
};

const isWebProof = (type: string): type is WebProof => Object.hasOwn(steps, type);

/** The screen that collects a proof. */
export function ProofStep(props: StepProps) {
  const { type } = props.proof;
  const [reviewed, setReviewed] = useState<string | null>(null);
  if (!isWebProof(type)) return null;
  const Step = steps[type];
  const { state } = props.check;
  const askReview = props.facts.isReviewOffered ? () => setReviewed(type) : null;
  return (
    <>
      {state && <Judged proofs={judgedNow(state)} />}
      {reviewed === type ? (
        <AskReview {...props} back={() => setReviewed(null)} />
      ) : (
        <Step key={type} {...props} askReview={askReview} />
      )}
    </>
  );
}

/** Lists the earlier proofs that are still being judged while this one is collected. */
function Judged({ proofs }: { readonly proofs: readonly ShownProof[] }) {
  const { sayOf } = useWords();
  if (proofs.length === 0) return null;
  const names = proofs.map(({ type }) => sayOf('proof', type)).join(', ');
  return <Notice tone="wait">{`${names}: ${sayOf('verdict', 'processing')}`}</Notice>;
}
