import { Failure } from '../../workflows/failures.ts';

/** Limits how many tasks of one kind a process runs at a time, with a share for each account. */
export interface Places {
  /**
   * Takes a place for an account, and returns the function that frees it.
   * @throws Failure `rate_limited` with a retry time when all places, or those of the account, are
   * taken
   */
  take(accountId: number): () => void;
}

export interface PlacesOptions {
  readonly most: number;
  /** Limit for one account, so that no account takes all places. */
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
