import { Failure } from '../../workflows/failures.ts';

/** How many of one kind of work a process does at a time, shared out among accounts. */
export interface Places {
  /**
   * Takes a place for an account, and gives what leaves it. Throws `rate_limited` with a time to
   * come back when too many are taken.
   */
  take(accountId: number): () => void;
}

export interface PlacesOptions {
  readonly most: number;
  /** No account alone can take the places of all. */
  readonly mostOfAccount: number;
  readonly retryAfterSeconds: number;
}

export function createPlaces({ most, mostOfAccount, retryAfterSeconds }: PlacesOptions): Places {
  const taken: number[] = [];
  return {
    take(accountId) {
      const ofAccount = taken.filter((each) => each === accountId).length;
      if (taken.length >= most || ofAccount >= mostOfAccount) {
        throw new Failure('rate_limited', { retryAfterSeconds });
      }
      taken.push(accountId);
      return () => void taken.splice(taken.indexOf(accountId), 1);
    },
  };
}
