import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import type { IconName } from '../parts/icon.tsx';
import { Progress } from '../parts/progress.tsx';
import { useWords } from '../parts/say.ts';
import { Redirect } from '../parts/redirect.tsx';
import { Screen } from '../parts/screen.tsx';
import { tellHost } from '../session/host.ts';
import { isEnded, isOutcome, isRepeatable, type CheckState } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';

interface Props {
  readonly facts: CheckFacts;
  readonly check: Check;
  readonly state: CheckState;
}

/** Shows the outcome to a person who is done, and the way to leave the check. */
export function Done(props: Props) {
  const { facts, check, state } = props;
  const { status, link_session_id } = state;
  useEffect(() => {
    if (isOutcome(status)) tellHost({ type: 'finished', link_session_id, outcome: status });
  }, [link_session_id, status]);
  return (
    <Outcome {...props}>
      <Redirect facts={facts} check={check} />
    </Outcome>
  );
}

/** The outcome, its reason in words, and possible next steps. */
export function Outcome({
  facts,
  check,
  state,
  children,
}: Props & { readonly children?: ComponentChildren }) {
  const { say, sayOf } = useWords();
  const values = { account: facts.account };
  const { status, reason_code: reason } = state;
  return (
    <Screen
      name={status}
      icon={iconOf(status)}
      title={sayOf('outcome', status, values)}
      lead={sayOf('outcome_next', status, values)}
    >
      {isEnded(status) && reason && <p class="why">{sayOf('why', reason, values)}</p>}
      <Progress check={check} state={state} />
      {state.affidavit.status === 'available' && <p>{say('check.sealed')}</p>}
      {isRepeatable(status) ? (
        <p class="actions">
          <button type="button" class="main" onClick={() => check.start(check.place)}>
            {say('check.begin_again')}
          </button>
        </p>
      ) : (
        children
      )}
    </Screen>
  );
}

function iconOf(status: string): IconName {
  if (status === 'passed') return 'passed';
  return status === 'in_review' ? 'wait' : 'failed';
}
