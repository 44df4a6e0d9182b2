import { useEffect } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { useWords } from '../parts/say.ts';
import { Screen } from '../parts/screen.tsx';
import { tellHost } from '../session/host.ts';

/** A link that begins no check now: why, and what to do. */
export function Unusable({ facts }: { readonly facts: CheckFacts }) {
  const { sayOf } = useWords();
  const { status } = facts;
  const [title, lead] = [sayOf('link', status), sayOf('link_next', status)];
  useEffect(() => {
    tellHost({ type: 'error', error: { code: 'link_not_active', detail: `${title}. ${lead}` } });
  }, []);
  return <Screen name={`link-${status}`} icon="warning" title={title} lead={lead} />;
}
