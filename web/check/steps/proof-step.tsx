import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { useWords } from '../parts/say.ts';
import { Notice } from '../parts/screen.tsx';
import { judgedNow, type ShownProof, type WebProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import { DocumentStep } from './document.tsx';
import { FaceStep } from './face.tsx';
import { PhoneStep } from './phone.tsx';

export interface StepProps {
  readonly facts: CheckFacts;
  readonly check: Check;
  readonly proof: ShownProof;
}

const steps: Readonly<Record<WebProof, (props: StepProps) => preact.JSX.Element>> = {
  phone: PhoneStep,
  document: DocumentStep,
  biometric: FaceStep,
};

const isWebProof = (type: string): type is WebProof => Object.hasOwn(steps, type);

/** The screen that takes a proof. */
export function ProofStep(props: StepProps) {
  const { type } = props.proof;
  if (!isWebProof(type)) return null;
  const Step = steps[type];
  const { state } = props.check;
  return (
    <>
      {state && <Judged proofs={judgedNow(state)} />}
      <Step key={type} {...props} />
    </>
  );
}

/** Says which earlier proofs are still judged while this one is taken. */
function Judged({ proofs }: { readonly proofs: readonly ShownProof[] }) {
  const { sayOf } = useWords();
  if (proofs.length === 0) return null;
  const names = proofs.map(({ type }) => sayOf('proof', type)).join(', ');
  return <Notice tone="wait">{`${names}: ${sayOf('verdict', 'processing')}`}</Notice>;
}
