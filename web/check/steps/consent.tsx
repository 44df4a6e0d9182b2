import { useState } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { useWords } from '../parts/say.ts';
import { Notice, Screen } from '../parts/screen.tsx';
import { newKey, type Fault } from '../session/ask.ts';
import type { CheckState } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';
import { MoveOn } from './retry.tsx';
import { stepOf } from './step-of.ts';

interface Props {
  readonly facts: CheckFacts;
  readonly check: Check;
}

/** Requests consent to the terms and to each claim. Nothing is captured before. */
export function Consent({ facts, check }: Props) {
  const { say } = useWords();
  const [claims, setClaims] = useState<readonly string[]>(facts.claims);
  const [terms, setTerms] = useState(facts.terms.version);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const answer = async (accepted: boolean): Promise<void> => {
    setBusy(true);
    setFault(null);
    const body = { accepted, tos_version: terms, claims: accepted ? claims : [] };
    const call = { method: 'POST', key: newKey(), body } as const;
    const { body: state, fault: refused } = await check.call<CheckState>('consent', call);
    setBusy(false);
    if (state) return check.show(state);
    setFault(refused ?? null);
    if (refused?.tos_version !== undefined) setTerms(refused.tos_version);
    else await check.refresh();
  };
  const values = { account: facts.account, app: facts.app };
  return (
    <Screen
      name="consent"
      step={stepOf(facts, 'consent')}
      icon="safe"
      title={say('check.consent.title', values)}
      lead={say('check.consent.lead', values)}
    >
      <Claims facts={facts} chosen={claims} choose={setClaims} />
      <Retention facts={facts} />
      {fault && <Notice tone="bad">{say(faultPhrase(fault))}</Notice>}
      <p class="actions">
        <button type="button" class="main" disabled={isBusy} onClick={() => void answer(true)}>
          {say('check.consent.agree')}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void answer(false)}>
          {say('check.consent.refuse')}
        </button>
      </p>
      <p class="soft small">{say('check.consent.refusable', values)}</p>
      <MoveOn check={check} />
    </Screen>
  );
}

const faultPhrase = ({ code }: Fault) =>
  code === 'tos_changed' ? ('check.consent.changed' as const) : ('check.fault.other' as const);

/** Shows how long the submitted data is kept. */
function Retention({ facts }: { readonly facts: CheckFacts }) {
  const { say } = useWords();
  const takesPictures = facts.proofs.some((proof) => proof !== 'phone' && proof !== 'device');
  const days = facts.imageDays;
  const pictures =
    days === 0 ? say('check.consent.pictures_soon') : say('check.consent.pictures', { days });
  return (
    <p class="soft small">
      {takesPictures && `${pictures} `}
      {say('check.consent.record', { account: facts.account })}
      {facts.claims.includes('photo') && ` ${say('check.consent.photo')}`}
    </p>
  );
}

/** Shows each claim that the requester requests. A claim without a tick is not released. */
function Claims({
  facts,
  chosen,
  choose,
}: {
  readonly facts: CheckFacts;
  readonly chosen: readonly string[];
  readonly choose: (claims: readonly string[]) => void;
}) {
  const { say, sayOf } = useWords();
  if (facts.claims.length === 0) return <p>{say('check.consent.no_claims')}</p>;
  const toggle = (claim: string): void =>
    choose(chosen.includes(claim) ? chosen.filter((each) => each !== claim) : [...chosen, claim]);
  return (
    <fieldset>
      <legend>{say('check.consent.claims', { account: facts.account })}</legend>
      {facts.claims.map((claim) => (
        <label key={claim} class="tick">
          <input
            type="checkbox"
            name={claim}
            checked={chosen.includes(claim)}
            onChange={() => toggle(claim)}
          />
          {sayOf('claim', claim)}
        </label>
      ))}
    </fieldset>
  );
}
