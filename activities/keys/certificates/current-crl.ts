import type { CrlRow } from '../../../db/queries/crls.ts';

/**
 * A new CRL is signed daily, although it is valid for a week: an outage of six days does no harm.
 */
const renewalMs = 24 * 3600_000;
/** Validators reject a CRL from the future, and clocks differ by minutes. */
export const backdatedMs = 5 * 60_000;

export interface IssuedCrl {
  readonly der: Buffer;
  readonly number: number;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
}

/**
 * Returns the CRL of a row; null where a new one is due: data is missing, it is stale or a day old,
 * or it is older than `since`.
 */
export function currentCrlOf(row: CrlRow | null, now: Date, since?: Date): IssuedCrl | null {
  const { der, number, this_update: thisUpdate, next_update: nextUpdate } = row ?? {};
  if (!row || row.is_stale || !der || !number || !thisUpdate || !nextUpdate) return null;
  const isDue = now.getTime() - thisUpdate.getTime() >= renewalMs + backdatedMs;
  const isTooOld = since !== undefined && thisUpdate < since;
  return isDue || isTooOld ? null : { der, number, thisUpdate, nextUpdate };
}
