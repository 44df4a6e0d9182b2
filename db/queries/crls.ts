import type { RevokedCertificate } from '../../domain/pki/revocation/revocation-fields.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { crls, certificates } from '../schema/certificates.ts';

export type CrlRow = typeof crls.$inferSelect;

const { der, kid, serial } = certificates;

const revoked = statement<RevokedCertificate>(
  'certificates.revoked',
  `SELECT serial, kind, revoked_at, revocation_reason, invalidity_date FROM certificates
   WHERE issuer_kid = :issuerKid AND revoked_at IS NOT NULL ORDER BY revoked_at, serial`,
);

/** Data for the revocation of a certificate. Without `der` it was never signed. */
export interface ListedCertificate {
  /** CA whose CRL lists it. */
  readonly issuer_kid: string;
  readonly kid: string;
  readonly der: Buffer | null;
}
const listedOf = prepare('crls.listed', { serial }, ({ equals }) =>
  build
    .select({ issuer_kid: certificates.issuer_kid, kid, der })
    .from(certificates)
    .where(equals.serial),
);
const crlOf = prepare('crls.find', { issuer_kid: crls.issuer_kid }, ({ equals }) =>
  build.select().from(crls).where(equals.issuer_kid),
);
const lockCrlRow = statement<CrlRow>(
  'crls.lock',
  `INSERT INTO crls (issuer_kid, number, is_stale) VALUES (:issuerKid, 0, true)
   ON CONFLICT (issuer_kid) DO UPDATE SET issuer_kid = excluded.issuer_kid RETURNING *`,
);
const saveCrl = statement(
  'crls.save',
  `UPDATE crls SET number = :number, der = :der, this_update = :this_update,
   next_update = :next_update, is_stale = false
   WHERE issuer_kid = :issuer_kid`,
);

/**
 * Returns the entries of a CA's CRL. Expired certificates stay on it, because an archive is judged
 * years later at the time of its signature.
 */
export async function listRevoked(on: Queryable, issuerKid: string): Promise<RevokedCertificate[]> {
  return revoked(on, { issuerKid });
}

export async function findCrl(on: Queryable, issuerKid: string): Promise<CrlRow | null> {
  return firstOf(await crlOf(on, { issuer_kid: issuerKid }));
}

/**
 * Locks the CRL row of a CA for the transaction, so that CRL numbers have no gaps and no revocation
 * is missed.
 */
export async function lockCrl(tx: Tx, issuerKid: string): Promise<CrlRow> {
  const row = firstOf(await lockCrlRow(tx, { issuerKid }));
  if (!row) throw new Error('the CRL has no row');
  return row;
}

export async function keepCrl(
  tx: Tx,
  crl: {
    readonly issuer_kid: string;
    readonly number: number;
    readonly der: Uint8Array;
    readonly this_update: Date;
    readonly next_update: Date;
  },
): Promise<void> {
  await saveCrl(tx, crl);
}

export async function findListed(on: Queryable, serial: string): Promise<ListedCertificate | null> {
  return firstOf(await listedOf(on, { serial }));
}
