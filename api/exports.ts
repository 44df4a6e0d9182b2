import { Failure } from '../workflows/failures.ts';

/** How many exports one process makes at a time, each of which holds tens of megabytes. */
export interface Exports {
  /**
   * Begins one for an account, and gives what ends it. Throws `rate_limited` when too many are
   * under way.
   */
  begin(accountId: number): () => void;
}

const retryAfterSeconds = 10;

/** No account alone can take the places of all. */
export function createExports(most = 8, mostOfAccount = 2): Exports {
  const underWay: number[] = [];
  return {
    begin(accountId) {
      const ofAccount = underWay.filter((each) => each === accountId).length;
      if (underWay.length >= most || ofAccount >= mostOfAccount) {
        throw new Failure('rate_limited', { retryAfterSeconds });
      }
      underWay.push(accountId);
      return () => void underWay.splice(underWay.indexOf(accountId), 1);
    },
  };
}
