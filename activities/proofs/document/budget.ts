/** The images ask for more work than a document is worth. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Asked before each step of a reading. Throws `OverBudget` when there is no work left. */
export type Spend = () => void;

/** Of all sides together: documents take two to four seconds. A last step may run past it. */
const readingMsMax = 12_000;

/** What this thread has worked, in milliseconds: others on the same machine cost a reading none. */
export const workedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** A budget of work from now on. @param clock milliseconds worked so far */
export function budgetOf(clock: () => number): Spend {
  const begun = clock();
  return () => {
    if (clock() - begun > readingMsMax) throw new OverBudget('reading takes too long');
  };
}
