/** Cursor of a round: due time and id of the last affidavit that was processed. */
export interface RenewalPlace {
  readonly renew_at: string;
  readonly affidavit_id: string;
}

/** Result counts of a round, by affidavit. */
export interface RenewalCounts {
  /** Got a new archive timestamp, or their first. */
  readonly renewed: number;
  /** Wait for a revocation list, or for a timestamp key that lives longer. */
  readonly waiting: number;
  /** Did not verify, or could not be stored. */
  readonly failed: number;
}

/** Result of one step, and the cursor for the next. */
export interface RenewalStep extends RenewalCounts {
  readonly after: RenewalPlace;
  readonly is_done: boolean;
}

/** Input of a round. Counts are not zero only when a long round continues as a new run. */
export type RenewalInput = Omit<RenewalStep, 'is_done'>;

export const fromTheFirstDue: RenewalInput = {
  after: { renew_at: '1970-01-01T00:00:00.000Z', affidavit_id: '' },
  renewed: 0,
  waiting: 0,
  failed: 0,
};

/** Id of the schedule. Each round is named after it and its start time. */
export const archiveRenewalId = 'archive-renewal';
