import { openNoticeAddresses, queueNotices } from '../../activities/identity/members/notices.ts';
import { judgeRecovery, reportRecovery } from '../../activities/identity/recovery.ts';
import { decideRecovery, findRecoveryCheck } from '../../db/queries/recoveries.ts';
import { Failure } from '../../workflows/failures.ts';
import { mustLockMember } from '../accounts/access/grant.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { recoveryContracts } from './contract.ts';
import { decide, mustBeAnother, mustBeIn, type Decision } from './decision.ts';
import { mustBePerson } from './must-be-person.ts';

type ApproveDeps = Pick<Deps, 'db' | 'ids' | 'sealer'>;

/** Approves a recovery whose check has passed, and mails the person. */
export const approve = handler(recoveryContracts.approve)(async (input, deps: ApproveDeps) => {
  const { account_id: accountId, poly_user_id: polyUserId } = input.path;
  input.authorizeIn(accountId);
  mustBePerson(input.caller);
  const addresses = await openNoticeAddresses(deps, polyUserId, accountId);
  return decide(deps, input, async (decision) => {
    const { administered, row, decider, now } = decision;
    const { tx } = administered;
    await mustLockMember(administered, polyUserId);
    await mustBeAnother(decision);
    mustBeIn(['open'], decision);
    await mustBeProven(decision);
    const decided = await decideRecovery(tx, row.recovery_id, 'approved', decider, now);
    await queueNotices(tx, deps, decided, 'recovery_approved', addresses, now);
    await reportRecovery(tx, { ids: deps.ids, now }, decided, { actor: decider });
    return decided;
  });
});

async function mustBeProven({ administered: { tx }, row }: Decision): Promise<void> {
  const reason = judgeRecovery(await findRecoveryCheck(tx, row));
  if (reason !== 'proven') throw new Failure('recovery_not_proven', { extra: { reason } });
}
