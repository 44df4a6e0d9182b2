import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { languages } from '../../../domain/languages/languages.ts';
import { isEnded, isOutcome } from '../session/state.ts';
import { leave, useHost } from '../session/host.ts';
import type { Check } from '../session/use-check.ts';
import { Icon } from './icon.tsx';
import { usePairingCode } from './pairing-code.ts';
import { useWords } from './say.ts';

interface Props {
  readonly facts: CheckFacts;
}

/** Shows the requester: the app that the person knows, and its account. */
export function Asker({ facts }: Props) {
  const { say } = useWords();
  const [initial = ''] = facts.app;
  return (
    <header class="asker">
      {facts.logo === null ? (
        <span class="mark" aria-hidden="true">
          {initial.toUpperCase()}
        </span>
      ) : (
        <img class="logo" src={facts.logo} alt="" width={44} height={44} />
      )}
      <p>
        <span class="who">
          <bdi>{facts.app}</bdi>
        </span>
        <span class="soft small">
          {facts.isVerified && <Icon name="safe" size={16} />}{' '}
          {say(facts.isVerified ? 'check.asker.verified' : 'check.asker.unverified', {
            account: facts.account,
          })}
        </span>
      </p>
      <Leave />
    </header>
  );
}

/** Closes the frame. On a touch screen, the person cannot close it from outside. */
function Leave() {
  const { say } = useWords();
  if (!useHost()) return null;
  return (
    <button type="button" class="leave" aria-label={say('check.close')} onClick={leave}>
      <Icon name="close" />
    </button>
  );
}

/** The end of the link, the reference of the session, terms and languages. */
export function Foot({ facts, check }: Props & { readonly check: Check }) {
  const { say } = useWords();
  const isOver = check.state !== null && isEnded(check.state.status);
  return (
    <footer class="soft small">
      {facts.expires_at && facts.isActionable && !isOver && (
        <p>{say('check.until', { until: new Date(facts.expires_at) })}</p>
      )}
      {facts.isActionable && check.phase === 'welcome' && <p>{say('check.unexpected')}</p>}
      {check.session && (
        <p id="reference">
          {say('check.reference')} <code>{check.session.id}</code>
        </p>
      )}
      <Joined check={check} />
      <Support facts={facts} />
      {facts.terms.url && (
        <p>
          <a href={facts.terms.url} rel="noopener noreferrer" target="_blank">
            {say('check.terms', { app: facts.app })}
          </a>
        </p>
      )}
      <Languages facts={facts} />
    </footer>
  );
}

/** A number with which the person compares this check with the one on the other screen. */
function Joined({ check: { joins, session, state } }: { readonly check: Check }) {
  const { say } = useWords();
  const pairing = usePairingCode(session?.resume === null ? session.id : joins);
  return pairing === '' || (state && isOutcome(state.status)) ? null : (
    <p id="joined">
      {say('check.joined.pairing')} <strong data-pairing>{pairing}</strong>
    </p>
  );
}

/** Link to the app's support for checks. */
function Support({ facts }: Props) {
  const { say } = useWords();
  const { email, url } = facts.support;
  if (email === null && url === null) return null;
  return (
    <p id="support">
      {say('check.support', { app: facts.app })}{' '}
      {url !== null && (
        <bdi>
          <a href={url} rel="noopener noreferrer" target="_blank">
            {new URL(url).host}
          </a>
        </bdi>
      )}{' '}
      {email !== null && (
        <bdi>
          <a href={`mailto:${email}`}>{email}</a>
        </bdi>
      )}
    </p>
  );
}

/** Each language by its own name, because readers look for that name. */
const ownNames = Object.fromEntries(
  languages.map((language) => [
    language,
    new Intl.DisplayNames(language, { type: 'language' }).of(language),
  ]),
);

/** Loads the page in another language and keeps the rest of the address. */
function Languages({ facts }: Props) {
  const { say } = useWords();
  const open = (event: Event, language: string): void => {
    event.preventDefault();
    const address = new URL(location.href);
    address.searchParams.set('locale', language);
    location.assign(address);
  };
  return (
    <details class="languages">
      <summary>{say('check.language')}</summary>
      <ul>
        {languages.map((language) => (
          <li key={language}>
            <a
              href={`?locale=${language}`}
              lang={language}
              hreflang={language}
              aria-current={language === facts.language ? 'true' : undefined}
              onClick={(event) => open(event, language)}
            >
              {ownNames[language]}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
