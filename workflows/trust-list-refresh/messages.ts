/** Counts of the lists that were fetched. */
export interface RefreshedLists {
  /** Newer than the stored list, with a valid signature. */
  readonly taken: number;
  readonly unchanged: number;
  /** Not a list, older than the stored one, or without a signature of the expected signer. */
  readonly refused: number;
}

/** Id of the schedule. Each refresh is named after it and its start time. */
export const trustListRefreshId = 'trust-list-refresh';
