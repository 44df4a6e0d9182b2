/** How far a round came: an affidavit by when it was due and its id. */
export interface RenewalPlace {
  readonly renew_at: string;
  readonly affidavit_id: string;
}

/** What became of those that were due: ids, instants and counts only. */
export interface RenewalCounts {
  /** Archived once more, or for the first time. */
  readonly renewed: number;
  /** Those for which a list, or a key that lives for longer, is not to be had. */
  readonly waiting: number;
  /** Those that do not verify, or could not be kept. */
  readonly failed: number;
}

/** What one step did, and where the next one goes on. */
export interface RenewalStep extends RenewalCounts {
  readonly after: RenewalPlace;
  readonly is_done: boolean;
}

/** What a round begins with; none but a long one that goes on says more than zeros. */
export type RenewalInput = Omit<RenewalStep, 'is_done'>;

export const fromTheFirstDue: RenewalInput = {
  after: { renew_at: '1970-01-01T00:00:00.000Z', affidavit_id: '' },
  renewed: 0,
  waiting: 0,
  failed: 0,
};

/** The schedule that starts rounds; each is named after it and its time. */
export const archiveRenewalId = 'archive-renewal';
