import { useEffect, useState } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { leave, useHost } from '../session/host.ts';
import type { Check } from '../session/use-check.ts';
import { useWords } from './say.ts';

const secondsUntil = 5;

/**
 * The way on after a check, to the page around this one or else to the redirect: a button, and by
 * itself where the app wants that.
 */
export function Redirect({ facts, check }: { readonly facts: CheckFacts; readonly check: Check }) {
  const isFramed = useHost();
  const [url, setUrl] = useState<string | null>(null);
  // A page that was reloaded, and has no events yet, does not send the person away once more.
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
  /** Null where the way leads to the page around this one. */
  readonly url: string | null;
  /** Until the way is taken by itself; null where it is not. */
  readonly seconds: number | null;
  readonly stay: () => void;
}

/** The button that leads on, and how to stay. */
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

/** Counts seconds down while `isOn`; returns those left. */
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
