/** What came of the list of revoked keys. */
export interface RefreshedKeyStatus {
  /** How many certificates it names. */
  readonly listed: number;
  /** How many phones were revoked by it. */
  readonly revoked: number;
}

/** The schedule that starts refreshes; each is named after it and its time. */
export const keyStatusRefreshId = 'key-status-refresh';
