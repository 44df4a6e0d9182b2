/** How far a round came: a check, by its end and id. */
export interface RetentionPlace {
  readonly decided_at: string;
  readonly link_session_id: string;
}

/** What one step did, and where the next one goes on: ids, instants and counts only. */
export interface RetentionStep {
  readonly after: RetentionPlace;
  /** Checks that had anything to remove. */
  readonly checks: number;
  /** Those whose images could not be removed; the next round finds them again. */
  readonly failed: number;
  readonly is_done: boolean;
}

/** What a round begins with; none but a long one that goes on says more than zeros. */
export type RetentionInput = Omit<RetentionStep, 'is_done'>;

export const fromTheFirstCheck: RetentionInput = {
  after: { decided_at: '1970-01-01T00:00:00.000Z', link_session_id: '' },
  checks: 0,
  failed: 0,
};

/** The schedule that starts rounds; each is named after it and its time. */
export const retentionId = 'retention';
