import { Progress } from '../parts/progress.tsx';
import { useWords } from '../parts/say.ts';
import { Screen, Working } from '../parts/screen.tsx';
import type { CheckState } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import { MoveOn } from './retry.tsx';

/** The service works, or the check can be tried again after a review. */
export function Waiting({ check, state }: { readonly check: Check; readonly state: CheckState }) {
  const { say } = useWords();
  const canRetry = state.status === 'requires_retry';
  const retry = async (): Promise<void> => {
    const call = { method: 'POST', key: `retry-${state.sequence}`, body: {} } as const;
    const answer = await check.call<CheckState>('retry', call);
    if (answer.body) check.show(answer.body);
  };
  return (
    <Screen
      name={canRetry ? 'retry' : 'checking'}
      title={say(canRetry ? 'check.retry.title' : 'check.checking.title')}
      lead={say(canRetry ? 'check.retry.lead' : 'check.checking.lead')}
    >
      {canRetry ? (
        <p class="actions">
          <button type="button" class="main" onClick={() => void retry()}>
            {say('check.again')}
          </button>
        </p>
      ) : (
        <Working>{say('check.checking.wait')}</Working>
      )}
      <Progress check={check} state={state} />
      {canRetry && <MoveOn check={check} />}
    </Screen>
  );
}
