import { DatabaseError } from 'pg';
import type { Logger } from 'pino';
import { transaction, type Db } from '../../../db/client.ts';
import {
  advanceRollup,
  listBehind,
  listTouched,
  lockRollup,
  markRefreshed,
  rollDay,
} from '../../../db/queries/prescreen.ts';
import type { RollupStep } from '../../../workflows/prescreen-rollup/messages.ts';

export interface PrescreenActivities {
  rollUpPrescreen(input: { after_account_id: number }): Promise<RollupStep>;
}

export interface PrescreenDeps {
  readonly db: Db;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

const accountsMax = 50;
const eventsMax = 2_000;
const batchesMax = 50;

/** Counts the checks of prescreening by the day they were created. */
export function createPrescreenActivities(deps: PrescreenDeps): PrescreenActivities {
  return { rollUpPrescreen: (input) => rollUp(deps, input.after_account_id) };
}

/**
 * Rolls up what the next accounts tell in their streams of events since the last time: each day
 * that is spoken of is counted anew, so that it may be repeated. The streams are gap-free and in
 * the order of commits, so that nothing is passed over. An account that cannot be counted is logged
 * and left for the next time; those behind it go on.
 */
async function rollUp(deps: PrescreenDeps, afterAccountId: number): Promise<RollupStep> {
  const accounts = await listBehind(deps.db, afterAccountId, accountsMax);
  let [batches, days] = [0, 0];
  for (const accountId of accounts) {
    for (let isBehind = true; isBehind; batches += 1) {
      if (batches >= batchesMax) return { after_account_id: accountId - 1, days, is_done: false };
      const counted = await rollNext(deps, accountId);
      days += counted.days;
      isBehind = counted.isBehind;
    }
  }
  const last = accounts.at(-1);
  if (last !== undefined && accounts.length === accountsMax) {
    return { after_account_id: last, days, is_done: false };
  }
  await markRefreshed(deps.db, deps.clock());
  return { after_account_id: 0, days, is_done: true };
}

interface Counted {
  readonly days: number;
  readonly isBehind: boolean;
}

/**
 * Counts the days that the next events speak of, and whether there are more. What came up to the
 * last of them is as of the instant before they were asked for, however many follow.
 */
async function rollNext({ db, clock, log }: PrescreenDeps, accountId: number): Promise<Counted> {
  try {
    return await transaction(db, async (tx) => {
      const after = await lockRollup(tx, accountId);
      const asOf = clock();
      const { until, days } = await listTouched(tx, accountId, after, eventsMax);
      for (const day of days) await rollDay(tx, accountId, day);
      const isBehind = until !== null && until - after >= eventsMax;
      await advanceRollup(tx, accountId, until ?? after, isBehind ? null : asOf);
      return { days: days.length, isBehind };
    });
  } catch (err) {
    // A database that does not answer would keep every one of them waiting.
    if (!(err instanceof DatabaseError)) throw err;
    log.warn({ err, account_id: accountId }, 'prescreening could not be rolled up');
    return { days: 0, isBehind: false };
  }
}
