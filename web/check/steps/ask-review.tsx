import { useState } from 'preact/hooks';
import { reviewNoteLengthMax } from '../../../domain/trust-checks/review-request.ts';
import { useWords } from '../parts/say.ts';
import { Notice, Screen } from '../parts/screen.tsx';
import { newKey, type Fault } from '../session/ask.ts';
import type { ShownProof } from '../session/state.ts';
import type { StepProps } from './proof-step.tsx';

/** For a person who cannot take pictures: a reviewer verifies them in another way. */
export function AskReview({
  facts,
  check,
  proof,
  back,
}: StepProps & { readonly back: () => void }) {
  const { say, sayOf } = useWords();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const values = { account: facts.account };
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const { note } = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    setBusy(true);
    const call = { method: 'POST', key: newKey(), body: { review_request: { note } } } as const;
    const answer = await check.call<ShownProof>(`proofs/${proof.type}`, call);
    setBusy(false);
    setFault(answer.fault ?? null);
    await check.refresh();
  };
  return (
    <Screen
      name="review"
      icon="person"
      title={say('check.review.title')}
      lead={say('check.review.lead', values)}
    >
      {fault && <Notice tone="bad">{sayOf('fault', fault.code)}</Notice>}
      <form onSubmit={(event) => void send(event)}>
        <label for="note">{say('check.review.note', values)}</label>
        <textarea id="note" name="note" rows={4} maxLength={reviewNoteLengthMax} required />
        <p class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            {say('check.review.title')}
          </button>
          <button type="button" onClick={back}>
            {say('check.review.back')}
          </button>
        </p>
      </form>
    </Screen>
  );
}
