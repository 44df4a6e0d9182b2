/** What became of the lists that were fetched. */
export interface RefreshedLists {
  /** Newer than those at hand, and signed as they should be. */
  readonly taken: number;
  readonly unchanged: number;
  /** Signed by somebody else, older than what is at hand, or no list. */
  readonly refused: number;
}

/** The schedule that starts refreshes; each is named after it and its time. */
export const trustListRefreshId = 'trust-list-refresh';
