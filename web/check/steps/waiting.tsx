import { useState } from 'preact/hooks';
import { Progress } from '../parts/progress.tsx';
import { useWords } from '../parts/say.ts';
import { Notice, Screen, Working } from '../parts/screen.tsx';
import type { Fault } from '../session/ask.ts';
import { judgedNow, type CheckState } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import { MoveOn } from './retry.tsx';

/** Shown while the service judges or decides, or when the check can be retried after a review. */
export function Waiting({ check, state }: { readonly check: Check; readonly state: CheckState }) {
  const { say, sayOf } = useWords();
  const [fault, setFault] = useState<Fault>();
  const canRetry = state.status === 'requires_retry';
  const isJudging = judgedNow(state).length > 0;
  const words = canRetry ? 'retry' : isJudging ? 'judging' : 'checking';
  const retry = async (): Promise<void> => {
    const call = { method: 'POST', key: `retry-${state.sequence}`, body: {} } as const;
    const answer = await check.call<CheckState>('retry', call);
    setFault(answer.fault);
    if (answer.body) check.show(answer.body);
  };
  return (
    <Screen name={words} title={say(`check.${words}.title`)} lead={say(`check.${words}.lead`)}>
      {fault && <Notice tone="bad">{sayOf('fault', fault.code)}</Notice>}
      {canRetry ? (
        <p class="actions">
          <button type="button" class="main" onClick={() => void retry()}>
            {say('check.again')}
          </button>
        </p>
      ) : (
        <Working>{say(isJudging ? 'check.judging.wait' : 'check.checking.wait')}</Working>
      )}
      <Progress check={check} state={state} />
      {canRetry && <MoveOn check={check} />}
    </Screen>
  );
}
