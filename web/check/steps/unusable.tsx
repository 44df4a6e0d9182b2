import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { useWords } from '../parts/say.ts';
import { Screen } from '../parts/screen.tsx';

/** A link that begins no check now: why, and what to do. */
export function Unusable({ facts }: { readonly facts: CheckFacts }) {
  const { sayOf } = useWords();
  return (
    <Screen
      name={`link-${facts.status}`}
      icon="warning"
      title={sayOf('link', facts.status)}
      lead={sayOf('link_next', facts.status)}
    />
  );
}
