import { listAudit } from '../../db/queries/audit.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { auditContracts } from './contract.ts';

/** Returns the audit log of an account, newest first. */
export const list = handler(auditContracts.list)(async (
  { path, query, caller, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  await enterAccount({ db }, { caller, authorizeIn }, path.account_id);
  const { rows, total } = await listAudit(db, path.account_id, limitAndOffset(query));
  const items = rows.map((row) => ({
    seq: row.seq,
    at: row.created_at.toISOString(),
    action: row.action,
    actor: row.actor,
    actor_name: row.actor_name,
    object_id: row.object_id,
    details: row.details,
    previous_hash: row.previous_hash.toString('hex'),
    hash: row.hash.toString('hex'),
  }));
  return { status: 200, body: pageOf(items, total, query) };
});
