import type { Operation } from '../operations.ts';

/** What begins or moves a workflow costs a hundred times what is merely refused or read. */
const dear =
  /^(trust-checks\.(begin|open|pair|consent|pairToken|handOver|sendCode|submitProof|retry|cancel|review|revoke|redact)|email\.(request|verify)|links\.(send|create)|meetings\.(start|play)|devices\.(enroll|renew)|session\.(portalLogin|token|stepUp)|proofs\.|sandbox\.)/;
/** Whatever is asked of these, they read nothing. */
const still = /^(docs|system)\.|^email\.page$|^keys\.(?!userJwks)/;

/** How many requests each operation gets of so many. */
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
