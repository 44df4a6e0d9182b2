/** Result of one step of a rollup: counts and account numbers only. */
export interface RollupStep {
  /** Cursor: the next step starts after this account. */
  readonly after_account_id: number;
  /** Days that were recounted. */
  readonly days: number;
  readonly is_done: boolean;
}

/** Input of a rollup. Values are not zero only when a long rollup continues as a new run. */
export type RollupInput = Pick<RollupStep, 'after_account_id' | 'days'>;

/** Id of the schedule. Each rollup is named after it and its start time. */
export const prescreenRollupId = 'prescreen-rollup';
