/** Result of a refresh of the list of revoked keys. */
export interface RefreshedKeyStatus {
  /** Certificates on the list. */
  readonly listed: number;
  /** Phones that were revoked because of it. */
  readonly revoked: number;
}

/** Id of the schedule. Each refresh is named after it and its start time. */
export const keyStatusRefreshId = 'key-status-refresh';
