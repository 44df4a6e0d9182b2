import type { ComponentChildren } from 'preact';
import { useErrorBoundary, useMemo } from 'preact/hooks';
import type { CheckFacts } from '../../api/links/visitor/pages/check-facts.ts';
import { Asker, Foot } from './parts/asker.tsx';
import { WordsContext } from './parts/say.ts';
import { wordsOf } from './parts/phrases.ts';
import { isBeforePairing, isOutcome, nextProof } from './session/state.ts';
import { useCheck, type Check } from './session/use-check.ts';
import { Consent } from './steps/consent.tsx';
import { Done } from './steps/done.tsx';
import { Elsewhere } from './steps/elsewhere.tsx';
import { ProofStep } from './steps/proof-step.tsx';
import { Stuck } from './steps/stuck.tsx';
import { Unusable } from './steps/unusable.tsx';
import { Waiting } from './steps/waiting.tsx';
import { Welcome } from './steps/welcome.tsx';

/** The page of a link: the requester, the check step by step, and its outcome. */
export function App({ facts }: { readonly facts: CheckFacts }) {
  const check = useCheck(facts);
  return (
    <Around facts={facts} check={check}>
      <Guarded facts={facts} check={check} />
    </Around>
  );
}

interface Props {
  readonly facts: CheckFacts;
  readonly check: Check;
}

/** The parts that surround every screen. */
export function Around({
  facts,
  check,
  children,
}: Props & { readonly children: ComponentChildren }) {
  const words = useMemo(() => wordsOf(facts), [facts]);
  const { say } = words;
  return (
    <WordsContext.Provider value={words}>
      {facts.isDevelopment && <p class="development small">{say('check.development')}</p>}
      <Asker facts={facts} />
      <p class="offline small" role="status">
        {check.isOnline ? '' : say('check.offline')}
      </p>
      {children}
      <Foot facts={facts} check={check} />
    </WordsContext.Provider>
  );
}

/** Catches rendering errors of a screen, so that the page is never empty. */
function Guarded({ facts, check }: Props) {
  const [error, reset] = useErrorBoundary();
  if (error === undefined) return <Current facts={facts} check={check} />;
  const start: Check['start'] = (place) => {
    reset();
    check.start(place);
  };
  return <Stuck check={{ ...check, start, fault: { code: 'unexpected' } }} />;
}

/** The screen of the state that the service reports. */
export function Current({ facts, check }: Props) {
  const { phase, state, place } = check;
  if (!facts.isActionable && phase === 'welcome') return <Unusable facts={facts} check={check} />;
  if (phase === 'stuck') return <Stuck check={check} />;
  if (phase !== 'running' || state === null) return <Welcome facts={facts} check={check} />;
  if (isOutcome(state.status)) {
    return <Done facts={facts} check={check} state={state} />;
  }
  if (place === 'elsewhere' || isBeforePairing(state.status)) {
    return <Elsewhere facts={facts} check={check} state={state} />;
  }
  if (state.status === 'paired') return <Consent facts={facts} check={check} />;
  const proof = nextProof(state);
  return proof ? (
    <ProofStep facts={facts} check={check} proof={proof} />
  ) : (
    <Waiting check={check} state={state} />
  );
}
