/** How far one step of a rollup came: counts and numbers of accounts only. */
export interface RollupStep {
  /** The account to go on after. */
  readonly after_account_id: number;
  /** Days that were counted anew. */
  readonly days: number;
  readonly is_done: boolean;
}

/** What a rollup begins with; none but a long one that goes on says more than zeros. */
export type RollupInput = Pick<RollupStep, 'after_account_id' | 'days'>;

/** The schedule that starts rollups; each is named after it and its time. */
export const prescreenRollupId = 'prescreen-rollup';
