import { useWords } from '../parts/say.ts';
import { Screen } from '../parts/screen.tsx';
import type { Check } from '../session/use-check.ts';

/** Faults after which the same page can try again. */
const repeatable = [
  'gone',
  'session_limit',
  'rate_limited',
  'dependency_unavailable',
  'unexpected',
];

/** The page can go no further: why, and what to do. */
export function Stuck({ check }: { readonly check: Check }) {
  const { say, sayOf } = useWords();
  const { code } = check.fault ?? { code: 'unexpected' };
  return (
    <Screen
      name={`stuck-${code}`}
      icon="warning"
      title={sayOf('stuck', code)}
      lead={sayOf('stuck_next', code)}
    >
      {repeatable.includes(code) && (
        <p class="actions">
          <button type="button" class="main" onClick={() => check.start(check.place)}>
            {say('check.again')}
          </button>
        </p>
      )}
    </Screen>
  );
}
