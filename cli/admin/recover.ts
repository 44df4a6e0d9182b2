import { openNoticeAddresses, queueNotices } from '../../activities/identity/members/notices.ts';
import { isLive, recoveryLifeMs, reportRecovery } from '../../activities/identity/recovery.ts';
import type { Db, Tx } from '../../db/client.ts';
import { randomIds } from '../../db/ids.ts';
import { lockMember } from '../../db/queries/memberships.ts';
import {
  decideRecovery,
  insertRecovery,
  lockLiveRecovery,
  type RecoveryRow,
} from '../../db/queries/recoveries.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import { actor, AdminFault, accountNumber, read, within } from './admin.ts';

interface RecoverOptions {
  readonly polyUserId: string;
  readonly account: string;
}

/**
 * Admits one enrollment of a member whom the operator has identified. It is for an account without
 * a second ADMIN, or without an earlier check of the member. Approves the open recovery if there is
 * one. Returns the id of the recovery.
 * @throws AdminFault if the person is not a member, has no device or no address, or has another
 * recovery
 */
export async function recoverPerson(
  db: Db,
  { polyUserId, account }: RecoverOptions,
  sealer: Sealer,
  now: Date,
): Promise<string> {
  const accountId = Number(read('--account', accountNumber, account));
  const addresses = await openNoticeAddresses({ db, sealer }, polyUserId, accountId);
  return within(db, account, now, async (tx) => {
    const member = await lockMember(tx, accountId, polyUserId);
    if (!member) throw new AdminFault(`account ${accountId} has no member ${polyUserId}`);
    if (member.kind !== 'cert') throw new AdminFault(`${polyUserId} has no certified device`);
    if (addresses.length === 0) throw new AdminFault(`${polyUserId} has no login email`);
    const deps = { ids: randomIds, sealer, now };
    const recovery = await admit(tx, { polyUserId, accountId }, now);
    await queueNotices(tx, deps, recovery, 'recovery_approved', addresses, now);
    await reportRecovery(tx, deps, recovery, { actor });
    return recovery.recovery_id;
  });
}

async function admit(
  tx: Tx,
  { polyUserId, accountId }: { readonly polyUserId: string; readonly accountId: number },
  now: Date,
): Promise<RecoveryRow> {
  const open = await lockLiveRecovery(tx, polyUserId);
  if (open) {
    const isHere = open.account_id === accountId && open.status === 'open' && isLive(open, now);
    if (!isHere) throw new AdminFault(`${polyUserId} has another recovery, or an approved one`);
    return decideRecovery(tx, open.recovery_id, 'approved', actor, now);
  }
  const recovery = await insertRecovery(tx, {
    recovery_id: randomIds.make('rec'),
    account_id: accountId,
    poly_user_id: polyUserId,
    link_uuid: null,
    status: 'approved',
    locale: null,
    opened_by: actor,
    decided_by: actor,
    created_at: now,
    expires_at: new Date(now.getTime() + recoveryLifeMs),
    decided_at: now,
  });
  if (!recovery) throw new AdminFault(`${polyUserId} has another recovery`);
  return recovery;
}
