import type { CheckState, ShownProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import { Icon, isIcon } from './icon.tsx';
import { useWords } from './say.ts';

/** Shows each proof with its state, and the events so far. */
export function Progress({ check, state }: { readonly check: Check; readonly state: CheckState }) {
  const { sayOf } = useWords();
  return (
    <>
      <p id="state" role="status" data-state={state.status}>
        {sayOf('status', state.status)}
      </p>
      <ul class="proofs">
        {state.proofs.map((proof) => (
          <li key={proof.type} data-proof={proof.type} data-verdict={proof.status}>
            <Icon name={isIcon(proof.type) ? proof.type : 'tick'} />
            <span class="name">{sayOf('proof', proof.type)}</span>
            <span class="verdict">
              <Verdict proof={proof} />
            </span>
          </li>
        ))}
      </ul>
      <History check={check} />
    </>
  );
}

/** Reasons shown while a reviewer decides. The texts of other reasons explain how to try again. */
const reviewReasons: readonly (string | null)[] = ['camera_suspect', 'review_requested'];

function Verdict({ proof }: { readonly proof: ShownProof }) {
  const { sayOf, sayReason } = useWords();
  const { status, reason_code: reason } = proof;
  const isRefused = status === 'failed' || status === 'requires_retry';
  const isDoubted = status === 'in_review' && reviewReasons.includes(reason);
  return (
    <>
      {sayOf('verdict', status)}
      {(isRefused || isDoubted) && reason ? ` ${sayReason(proof)}` : ''}
    </>
  );
}

/** Lists past events in the time zone of this device and the language of the page. */
function History({ check }: { readonly check: Check }) {
  const { language, say, sayOf } = useWords();
  const lines = check.events.filter(({ type }) => type !== 'proof.updated');
  return (
    <details class="history">
      <summary>{say('check.history')}</summary>
      <ol id="history">
        {lines.map((event) => (
          <li key={event.sequence}>
            <time dateTime={event.created_at}>
              {new Date(event.created_at).toLocaleTimeString(language, { timeStyle: 'medium' })}
            </time>
            <span>{sayOf('event', event.type.replace('.', '_'))}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
