/** The images need more work than a document is allowed. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Call it before each step of a reading. Throws `OverBudget` when no work is left. */
export type Spend = () => void;

/** Limit for all sides together. Documents take two to four seconds. A last step may exceed it. */
const readingMsMax = 12_000;

/** Returns the CPU time of this thread in milliseconds, independent of the load of the machine. */
export const workedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * Starts a work budget.
 * @param clock returns the milliseconds worked so far
 */
export function budgetOf(clock: () => number): Spend {
  const begun = clock();
  return () => {
    if (clock() - begun > readingMsMax) throw new OverBudget('reading takes too long');
  };
}
