import { useEffect } from 'preact/hooks';
import { useWords } from '../parts/say.ts';
import { Screen } from '../parts/screen.tsx';
import { tellHost } from '../session/host.ts';
import type { Check } from '../session/use-check.ts';

/** Faults after which the person can retry on the same page. */
const repeatable = [
  'gone',
  'session_limit',
  'rate_limited',
  'dependency_unavailable',
  'unexpected',
];

/** Shown when the page cannot continue: the reason, and what to do. */
export function Stuck({ check }: { readonly check: Check }) {
  const { say, sayOf } = useWords();
  const { code } = check.fault ?? { code: 'unexpected' };
  const [title, lead] = [sayOf('stuck', code), sayOf('stuck_next', code)];
  useEffect(
    () => tellHost({ type: 'error', error: { code, detail: `${title}. ${lead}` } }),
    [code],
  );
  return (
    <Screen name={`stuck-${code}`} icon="warning" title={title} lead={lead}>
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
