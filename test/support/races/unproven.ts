import { transaction } from '../../../db/client.ts';
import { addAffidavit } from '../../../db/queries/affidavits.ts';
import { newSession, type Stage } from './stage.ts';

/** Inserts an affidavit that waits for its log proof: available since `since`, and in no log. */
export async function unprovenAffidavit(on: Stage, since = new Date()): Promise<string> {
  const session = await newSession(on, { status: 'passed', decided_at: since });
  const id = on.ids.make('aff');
  await transaction(on.db, (tx) => addAffidavit(tx, session, id, since));
  await on.db.query(
    `UPDATE affidavits SET status = 'available', awaits_log_proof = true, available_at = $4,
       sealed_at = $4, sha256 = $2, affidavit_key = $3 WHERE affidavit_id = $1`,
    [id, on.ids.bytes(32).toString('hex'), `affidavits/1/${id}/v1.pdf`, since],
  );
  return id;
}
