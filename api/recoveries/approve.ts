import { openNoticeAddresses, queueNotices } from '../../activities/identity/members/notices.ts';
import { judgeRecovery, reportRecovery } from '../../activities/identity/recovery.ts';
import { decideRecovery, findRecoveryCheck } from '../../db/queries/recoveries.ts';
import { Failure } from '../../workflows/failures.ts';
import { lockMemberOrThrow } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { recoveryContracts } from './contract.ts';
import { decide, assertFourEyes, assertRecoveryState, type Decision } from './decision.ts';
import { personOrThrow } from './person-or-throw.ts';

type ApproveDeps = Pick<Deps, 'db' | 'ids' | 'sealer'>;

/** Approves a recovery after its check has passed, and mails the person. */
export const approve = handler(recoveryContracts.approve)(async (input, deps: ApproveDeps) => {
  const { account_id: accountId, poly_user_id: polyUserId } = input.path;
  input.authorizeIn(accountId);
  personOrThrow(input.caller);
  const addresses = await openNoticeAddresses(deps, polyUserId, accountId);
  return decide(deps, input, async (decision) => {
    const { administered, row, decider, now } = decision;
    const { tx } = administered;
    await lockMemberOrThrow(administered, polyUserId);
    await assertFourEyes(decision);
    assertRecoveryState(['open'], decision);
    await assertRecoveryProven(decision);
    const decided = await decideRecovery(tx, row.recovery_id, 'approved', decider, now);
    await queueNotices(tx, deps, decided, 'recovery_approved', addresses, now);
    await reportRecovery(tx, { ids: deps.ids, now }, decided, { actor: decider });
    return decided;
  });
});

async function assertRecoveryProven({ administered: { tx }, row }: Decision): Promise<void> {
  const reason = judgeRecovery(await findRecoveryCheck(tx, row));
  if (reason !== 'proven') throw new Failure('recovery_not_proven', { extra: { reason } });
}
