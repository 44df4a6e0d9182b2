import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import type { PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { addAffidavit, publishAffidavit } from '../../../db/queries/affidavits.ts';
import { renewalTimeOf } from '../../../domain/affidavit/verify/renewal-time.ts';
import { newSession, type Stage } from '../../races/store/stage.ts';

export interface Kept {
  readonly id: string;
  readonly session: string;
  readonly keyOf: (version: number) => string;
}

interface Place {
  readonly on: Stage;
  readonly store: ObjectStore;
  readonly keys: PlatformKeys;
  readonly now: Date;
}

/** An affidavit that was published with a file, and whose proof of the log is written. */
export async function publishFile({ on, store, keys, now }: Place, pdf: Buffer): Promise<Kept> {
  const row = await newSession(on, { status: 'passed', decided_at: now });
  const session = row.link_session_id;
  const made = on.ids.make('aff');
  const id = await transaction(on.db, (tx) => addAffidavit(tx, row, made, now));
  const keyOf = (version: number): string =>
    `affidavits/${row.account_id}/${session}/${id}/v${version}.pdf`;
  const key = keyOf(1);
  const { sha256 } = await store.put({ key, body: pdf, contentType: 'application/pdf' });
  const { facts } = await verifyAffidavit(pdf, [keys.root.certificate], now);
  await transaction(on.db, (tx) =>
    publishAffidavit(tx, {
      affidavit_id: id,
      affidavit_key: key,
      version: 1,
      sha256,
      base_sha256: '0'.repeat(64),
      json_sha256: '0'.repeat(64),
      size_bytes: pdf.length,
      pades_level: String(facts.pades_level),
      seal_kid: keys.seal.kid,
      sealed_at: now,
      available_at: now,
      development: true,
      renew_at: renewalTimeOf(facts, now),
    }),
  );
  await on.db.query('UPDATE affidavits SET awaits_log_proof = false WHERE affidavit_id = $1', [id]);
  return { id, session, keyOf };
}

/** What the manifest says of the file, and what its session is told. */
export async function manifestIn(db: Db, { id }: Kept): Promise<Record<string, unknown>> {
  const { rows } = await db.query<Record<string, unknown>>(
    `SELECT a.version, a.affidavit_key, a.sha256, a.size_bytes, a.pades_level, a.renew_at,
       a.renewed_at, a.renewal_reason, t.affidavit_sha256 AS told
     FROM affidavits a JOIN trust_checks t USING (link_session_id) WHERE a.affidavit_id = $1`,
    [id],
  );
  return rows[0] ?? {};
}
