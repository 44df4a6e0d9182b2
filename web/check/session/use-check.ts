import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { createRunner, nothing, type RunnerState, type Runner } from './runner.ts';

/** A check as the page displays and runs it. */
export type Check = RunnerState & Omit<Runner, 'load' | 'stop'>;

/** Runs the check of a link while the page is displayed. */
export function useCheck(facts: CheckFacts): Check {
  const [held, setHeld] = useState(nothing);
  const runner = useMemo(() => createRunner(facts, setHeld), [facts]);
  useEffect(() => {
    runner.load();
    return () => runner.stop();
  }, [runner]);
  return { ...held, ...runner };
}
