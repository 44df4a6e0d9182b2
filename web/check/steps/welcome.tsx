import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { Icon, isIcon } from '../parts/icon.tsx';
import { useWords } from '../parts/say.ts';
import { Screen, Working } from '../parts/screen.tsx';
import { useTarget } from '../session/host.ts';
import type { Check } from '../session/use-check.ts';
import { Stuck } from './stuck.tsx';

interface Props {
  readonly facts: CheckFacts;
  readonly check: Check;
}

/** Shows who requests what. The session begins only when the person presses the button. */
export function Welcome({ facts, check }: Props) {
  const { say } = useWords();
  const { account, app } = facts;
  if (check.isTokenMissing) {
    return <Stuck check={{ ...check, fault: { code: 'link_token_required' } }} />;
  }
  const joining = check.joins !== null && facts.isWebAllowed;
  return (
    <Screen
      name="welcome"
      title={facts.title ?? say('check.welcome.title')}
      lead={say('check.welcome.lead', { account, app })}
    >
      <Asked facts={facts} />
      {check.phase === 'beginning' ? (
        <Working>{say('check.welcome.beginning')}</Working>
      ) : (
        <p class="actions">
          {facts.isWebAllowed ? (
            <button type="button" class="main" onClick={() => check.start('here')}>
              {say(joining ? 'check.welcome.join' : 'check.welcome.here')}
            </button>
          ) : null}
          {!joining && <OnPhone facts={facts} check={check} />}
        </p>
      )}
      <Learned facts={facts} />
    </Screen>
  );
}

/**
 * The way to a phone: a code to scan on a computer, the app on the phone itself. An app without an
 * install page is shown by name.
 */
function OnPhone({ facts, check }: Props) {
  const { say } = useWords();
  const target = useTarget();
  const { isPhone, isWebAllowed, appUrl, account, app } = facts;
  if (isPhone) {
    if (appUrl === null) return isWebAllowed ? null : say('check.welcome.get', { account, app });
    return (
      <a class={isWebAllowed ? 'button' : 'button main'} href={appUrl} target={target}>
        {say('check.welcome.app', { app })}
      </a>
    );
  }
  return (
    <button
      type="button"
      class={isWebAllowed ? '' : 'main'}
      onClick={() => check.start('elsewhere')}
    >
      {say('check.welcome.elsewhere')}
    </button>
  );
}

/** The requested proofs, each with a picture, and the data that the requester receives. */
function Asked({ facts }: Pick<Props, 'facts'>) {
  const { say, sayOf } = useWords();
  return (
    <div class="asked">
      <h2>{say('check.asked')}</h2>
      <ul class="proofs">
        {facts.proofs.map((proof) => (
          <li key={proof} data-proof={proof}>
            <Icon name={isIcon(proof) ? proof : 'tick'} />
            <span class="name">{sayOf('proof', proof)}</span>
            <span class="soft">{sayOf('takes', proof)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Learned({ facts }: Pick<Props, 'facts'>) {
  const { say, sayOf } = useWords();
  const { account } = facts;
  return (
    <details class="promise">
      <summary>{say('check.learns', { account })}</summary>
      <p>{say('check.learns.outcome')}</p>
      {facts.claims.length > 0 && (
        <>
          <p>{say('check.learns.claims')}</p>
          <ul>
            {facts.claims.map((claim) => (
              <li key={claim}>{sayOf('claim', claim)}</li>
            ))}
          </ul>
        </>
      )}
      <p>{say('check.privacy.consent')}</p>
      <p>{say('check.privacy.sealed')}</p>
      <p>{say('check.privacy.page')}</p>
    </details>
  );
}
