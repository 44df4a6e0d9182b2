import { useEffect, useState } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { leave, useHost } from '../session/host.ts';
import type { Check } from '../session/use-check.ts';
import { useWords } from './say.ts';

const secondsUntil = 5;

/**
 * Leaves a finished check: to the embedding page, or else to the redirect address. Shows a button,
 * and redirects automatically if the app requests that.
 */
export function Redirect({ facts, check }: { readonly facts: CheckFacts; readonly check: Check }) {
  const isFramed = useHost();
  const [url, setUrl] = useState<string | null>(null);
  // A reloaded page has no events yet and must not redirect the person again.
  const isReloaded = check.events.length === 0;
  const [isStaying, setStaying] = useState(!facts.isRedirected || isReloaded);
  const { call } = check;
  useEffect(() => {
    void call<{ redirect_url: string | null }>('', { method: 'GET' }).then(({ body }) =>
      setUrl(body?.redirect_url ?? null),
    );
  }, [call]);
  const isShown = isFramed || url !== null;
  const left = useCountdown(isShown && !isStaying, () =>
    isFramed ? leave() : location.assign(url ?? ''),
  );
  if (!isShown) return null;
  return (
    <WayOn
      app={facts.app}
      url={isFramed ? null : url}
      seconds={isStaying ? null : left}
      stay={() => setStaying(true)}
    />
  );
}

interface WayOnProps {
  readonly app: string;
  /** Null if the person returns to the embedding page. */
  readonly url: string | null;
  /** Seconds until the automatic redirect; null if there is none. */
  readonly seconds: number | null;
  readonly stay: () => void;
}

/** The button that leaves the check, and a way to stay. */
export function WayOn({ app, url, seconds, stay }: WayOnProps) {
  const { say } = useWords();
  const goOn = say('check.redirect.go', { app });
  return (
    <>
      <p class="actions">
        {url === null ? (
          <button type="button" class="main" onClick={leave}>
            {goOn}
          </button>
        ) : (
          <a class="button main" href={url} rel="noreferrer">
            {goOn}
          </a>
        )}
        {seconds !== null && (
          <button type="button" onClick={stay}>
            {say('check.redirect.stay')}
          </button>
        )}
      </p>
      {seconds !== null && <p class="small">{say('check.redirect.soon', { app, seconds })}</p>}
    </>
  );
}

/** Counts down seconds while `isOn`. Returns the remaining seconds. */
function useCountdown(isOn: boolean, onEnd: () => void): number {
  const [left, setLeft] = useState(secondsUntil);
  useEffect(() => {
    if (!isOn) return undefined;
    if (left === 0) return onEnd();
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [isOn, left]);
  return left;
}
