import { useEffect } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { useWords } from '../parts/say.ts';
import { Screen } from '../parts/screen.tsx';
import { tellHost } from '../session/host.ts';
import type { Check } from '../session/use-check.ts';

interface Props {
  readonly facts: CheckFacts;
  readonly check: Pick<Check, 'isLoaded'>;
}

/** Shown for a link that cannot begin a check now: the reason, and what to do. */
export function Unusable({ facts, check: { isLoaded } }: Props) {
  const { sayOf } = useWords();
  const { status } = facts;
  const [title, lead] = [sayOf('link', status), sayOf('link_next', status)];
  useEffect(() => {
    // The check that used the link may be stored here. Then it is displayed instead.
    if (!isLoaded) return;
    tellHost({ type: 'error', error: { code: 'link_not_active', detail: `${title}. ${lead}` } });
  }, [isLoaded]);
  return <Screen name={`link-${status}`} icon="warning" title={title} lead={lead} />;
}
