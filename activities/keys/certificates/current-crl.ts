import type { CrlRow } from '../../../db/queries/crls.ts';

/** A new one is signed daily, so that six days of outage do no harm. */
const renewalMs = 24 * 3600_000;
/** Validators refuse a CRL from the future, and clocks differ by minutes. */
export const backdatedMs = 5 * 60_000;

export interface IssuedCrl {
  readonly der: Buffer;
  readonly number: number;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
}

/** The list a row holds; null where another is due: something is missing, or a day has passed. */
export function currentCrlOf(row: CrlRow | null, now: Date, since?: Date): IssuedCrl | null {
  const { der, number, this_update: thisUpdate, next_update: nextUpdate } = row ?? {};
  if (!row || row.is_stale || !der || !number || !thisUpdate || !nextUpdate) return null;
  const isDue = now.getTime() - thisUpdate.getTime() >= renewalMs + backdatedMs;
  const isTooOld = since !== undefined && thisUpdate < since;
  return isDue || isTooOld ? null : { der, number, thisUpdate, nextUpdate };
}
