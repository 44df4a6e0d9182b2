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

/** Returns the activity that counts prescreening checks by the day of their creation. */
export function createPrescreenActivities(deps: PrescreenDeps): PrescreenActivities {
  return { rollUpPrescreen: (input) => rollUp(deps, input.after_account_id) };
}

/**
 * Recounts the days that have new events, for the next accounts. Each day is recounted as a whole,
 * so this can be repeated. The event streams have no gaps and are in commit order, so no event is
 * missed. An account that fails is logged and left for the next run.
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
 * Recounts the days of the account's next events. If there are no more events, the counts are valid
 * as of the instant before the events were read.
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
    // If the database does not answer, all other accounts would fail, too.
    if (!(err instanceof DatabaseError)) throw err;
    log.warn({ err, account_id: accountId }, 'prescreening could not be rolled up');
    return { days: 0, isBehind: false };
  }
}
