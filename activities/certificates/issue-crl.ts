import { transaction, type Db } from '../../db/client.ts';
import { findCrl, keepCrl, listRevoked, lockCrl, type CrlRow } from '../../db/queries/crls.ts';
import type { IssuingSigner } from './key-signer.ts';
import { signCrl } from './sign-crl.ts';

const hourMs = 3600_000;
/** How long a CRL may be relied upon. */
export const crlLifeMs = 7 * 24 * hourMs;
/** A new one is signed daily, so that six days of outage do no harm. */
const renewalMs = 24 * hourMs;
/** Validators refuse a CRL from the future, and clocks differ by minutes. */
const backdatedMs = 5 * 60_000;

export interface IssuedCrl {
  readonly der: Buffer;
  readonly number: number;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
}

interface CrlNeeds {
  readonly db: Db;
  readonly issuer: IssuingSigner;
  /** A list from before then says nothing of what is to be cleared: it was certified later. */
  readonly since?: Date;
}

/**
 * The CRL of a CA as it must be now: the one last signed, or a new one when something was revoked
 * since, a day has passed, or the last is older than what it is to clear. Of several processes one
 * signs, under the row's lock, and all give the same list.
 */
export async function issueCrl({ db, issuer, since }: CrlNeeds, now: Date): Promise<IssuedCrl> {
  const last = currentOf(await findCrl(db, issuer.kid), now, since);
  if (last) return last;
  return transaction(db, async (tx) => {
    const row = await lockCrl(tx, issuer.kid);
    const other = currentOf(row, now, since);
    if (other) return other;
    const number = row.number + 1;
    const thisUpdate = new Date(now.getTime() - backdatedMs);
    const nextUpdate = new Date(now.getTime() + crlLifeMs);
    const revoked = await listRevoked(tx, issuer.kid);
    const der = await signCrl({ issuer, number, thisUpdate, nextUpdate, revoked });
    await keepCrl(tx, {
      issuer_kid: issuer.kid,
      number,
      der,
      this_update: thisUpdate,
      next_update: nextUpdate,
    });
    return { der, number, thisUpdate, nextUpdate };
  });
}

/** Whether the last list of a CA is the one that must be now: nothing is missing, none is due. */
export function isCurrentCrl(row: CrlRow | null, now: Date): boolean {
  return currentOf(row, now) !== null;
}

function currentOf(row: CrlRow | null, now: Date, since?: Date): IssuedCrl | null {
  const { der, number, this_update: thisUpdate, next_update: nextUpdate } = row ?? {};
  if (!row || row.is_stale || !der || !number || !thisUpdate || !nextUpdate) return null;
  const isDue = now.getTime() - thisUpdate.getTime() >= renewalMs + backdatedMs;
  const isTooOld = since !== undefined && thisUpdate < since;
  return isDue || isTooOld ? null : { der, number, thisUpdate, nextUpdate };
}
