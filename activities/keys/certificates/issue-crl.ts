import { transaction, type Db } from '../../../db/client.ts';
import { findCrl, keepCrl, listRevoked, lockCrl } from '../../../db/queries/crls.ts';
import { signCrl } from '../../../domain/pki/revocation/sign-crl.ts';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { backdatedMs, currentCrlOf, type IssuedCrl } from './current-crl.ts';

/** Validity of a CRL. */
export const crlLifeMs = 7 * 24 * 3600_000;

interface CrlNeeds {
  readonly db: Db;
  readonly issuer: IssuingSigner;
  /** The CRL must not be older: it would not cover certificates that were issued later. */
  readonly since?: Date;
}

/**
 * Returns the current CRL of a CA. It signs a new one when a certificate was revoked since the
 * last, a day has passed, or the last is older than `since`. Among several processes, one signs
 * under the row's lock, and all return the same CRL.
 */
export async function issueCrl({ db, issuer, since }: CrlNeeds, now: Date): Promise<IssuedCrl> {
  const last = currentCrlOf(await findCrl(db, issuer.kid), now, since);
  if (last) return last;
  return transaction(db, async (tx) => {
    const row = await lockCrl(tx, issuer.kid);
    const other = currentCrlOf(row, now, since);
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
