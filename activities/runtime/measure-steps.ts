import { Counter, Histogram, type Registry } from 'prom-client';
import { trustCheckTransitions } from '../../workflows/trust-check/state.ts';
import { measures } from './measures.ts';

const [minute, hour, day] = [60, 3600, 86_400];
const stepBuckets = [1, 5, 15, 30, minute, 2 * minute, 5 * minute, 15 * minute, hour, day, 3 * day];

/**
 * Counts the states of checks and the results of proofs. The process that writes a step, API or
 * worker, counts it once: sum over both.
 */
export function measureSteps(registry: Registry): void {
  const registers = [registry];
  const states = new Counter({
    name: 'trustcheck_check_states_total',
    help: 'Checks that came to a state, by state',
    labelNames: ['state'],
    registers,
  });
  // Starts every counter at 0: a series that is absent cannot be seen to stay at 0.
  for (const { to } of trustCheckTransitions) states.inc({ state: to }, 0);
  const proofs = new Counter({
    name: 'trustcheck_proof_results_total',
    help: 'What proofs came to, by proof and result',
    labelNames: ['proof', 'result'],
    registers,
  });
  const steps = new Histogram({
    name: 'trustcheck_check_step_seconds',
    help: 'Time a check was in a state before it went on, by the state it left',
    labelNames: ['state'],
    buckets: stepBuckets,
    registers,
  });
  measures.step.listen((step) => {
    if ('proof' in step) return proofs.inc({ proof: step.proof, result: step.result });
    states.inc({ state: step.to });
    steps.observe({ state: step.from }, step.seconds);
  });
}
