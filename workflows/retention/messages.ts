/** Cursor of a round: decision time and id of the last check that was processed. */
export interface RetentionPlace {
  readonly decided_at: string;
  readonly link_session_id: string;
}

/** Result of one step, and the cursor for the next: ids, instants and counts only. */
export interface RetentionStep {
  readonly after: RetentionPlace;
  /** Checks that had something to remove. */
  readonly checks: number;
  /** Checks whose images could not be removed. The next round finds them again. */
  readonly failed: number;
  readonly is_done: boolean;
}

/** Input of a round. Counts are not zero only when a long round continues as a new run. */
export type RetentionInput = Omit<RetentionStep, 'is_done'>;

export const fromTheFirstCheck: RetentionInput = {
  after: { decided_at: '1970-01-01T00:00:00.000Z', link_session_id: '' },
  checks: 0,
  failed: 0,
};

/** Id of the schedule. Each round is named after it and its start time. */
export const retentionId = 'retention';
