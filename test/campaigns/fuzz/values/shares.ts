import type { Operation } from '../operations.ts';

/** Operations that start or signal a workflow: a hundred times the cost of a read or a refusal. */
const dear =
  /^(trust-checks\.(begin|open|pair|consent|pairToken|handOver|sendCode|submitProof|retry|cancel|review|revoke|redact)|email\.(request|verify)|links\.(send|create)|meetings\.(start|play)|devices\.(enroll|renew)|session\.(portalLogin|token|stepUp)|proofs\.|sandbox\.)/;
/** Operations that read no input. */
const still = /^(docs|system)\.|^email\.page$|^keys\.(?!userJwks)/;

/** Distributes a number of requests over the operations. */
export function shareOf(all: readonly Operation[], requests: number): Map<string, number> {
  const weightOf = ({ id }: Operation): number => (dear.test(id) ? 1 : still.test(id) ? 0.7 : 2);
  const whole = all.reduce((sum, operation) => sum + weightOf(operation), 0);
  return new Map(
    all.map((operation) => [
      operation.id,
      Math.max(4, Math.round((requests * weightOf(operation)) / whole)),
    ]),
  );
}
