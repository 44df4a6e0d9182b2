import {
  closeRecoveryLink,
  isLive,
  judgeRecovery,
  reportRecovery,
} from '../../activities/identity/recovery.ts';
import { openNoticeAddresses, queueNotices } from '../../activities/members/notices.ts';
import type { RecoveryState } from '../../db/recovery-names.ts';
import { areOnePerson } from '../../db/queries/identities.ts';
import {
  decideRecovery,
  findRecoveryCheck,
  lockRecovery,
  type RecoveryRow,
} from '../../db/queries/recoveries.ts';
import { Failure } from '../../workflows/failures.ts';
import { administer, type Administered } from '../accounts/administer.ts';
import { handler, type Input } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { mustLockMember } from '../members/grant.ts';
import { recoveryContracts } from './contract.ts';
import { mustBePerson } from './must-be-person.ts';
import { presentRecovery } from './present.ts';

type DecideDeps = Pick<Deps, 'db' | 'ids' | 'sealer'>;
type Decision = Extract<RecoveryState, 'approved' | 'denied' | 'canceled'>;

export const approve = handler(recoveryContracts.approve)((input, deps: DecideDeps) =>
  decide(deps, input, 'approved'),
);
export const deny = handler(recoveryContracts.deny)((input, deps: DecideDeps) =>
  decide(deps, input, 'denied'),
);
export const cancel = handler(recoveryContracts.cancel)((input, deps: DecideDeps) =>
  decide(deps, input, 'canceled'),
);

/** Decides a recovery under the lock of its account and of its row: of two decisions one counts. */
async function decide(
  deps: DecideDeps,
  input: Input<typeof recoveryContracts.approve>,
  to: Decision,
) {
  const { account_id: accountId, poly_user_id: polyUserId, recovery_id: id } = input.path;
  const { now } = input.call;
  input.authorizeIn(accountId);
  const decider = mustBePerson(input.caller);
  const addresses = await openNoticeAddresses(deps, polyUserId, accountId);
  const recovery = await administer(deps, input, accountId, async (administered) => {
    const { tx } = administered;
    const row = await lockRecovery(tx, id, accountId, polyUserId);
    if (!row) throw new Failure('not_found');
    if (to === 'approved') await mustLockMember(administered, polyUserId);
    if (to !== 'canceled') await mustBeAnother(administered, row, decider);
    mustBeLive(row, to, now);
    if (to === 'approved') await mustBeProven(administered, row);
    const decided = await decideRecovery(tx, id, to, decider, now);
    const told = { ids: deps.ids, sealer: deps.sealer, now };
    if (to === 'approved') {
      await queueNotices(tx, told, decided, 'recovery_approved', addresses, now);
    }
    const events = to === 'approved' ? [] : await closeRecoveryLink(tx, decided, now);
    await reportRecovery(tx, told, decided, { actor: decider, events });
    return decided;
  });
  return { status: 200, body: await presentRecovery(deps.db, recovery, now) } as const;
}

/** An approved recovery can still be canceled. */
function mustBeLive(row: RecoveryRow, to: Decision, now: Date): void {
  const isOpen = row.status === 'open' || (to === 'canceled' && row.status === 'approved');
  if (!isOpen || !isLive(row, now)) throw new Failure('invalid_state');
}

async function mustBeAnother(
  { tx }: Administered,
  { opened_by, poly_user_id }: RecoveryRow,
  decider: string,
): Promise<void> {
  for (const party of [opened_by, poly_user_id]) {
    if (await areOnePerson(tx, party, decider)) throw new Failure('four_eyes_required');
  }
}

async function mustBeProven({ tx }: Administered, row: RecoveryRow): Promise<void> {
  const reason = judgeRecovery(await findRecoveryCheck(tx, row));
  if (reason !== 'proven') throw new Failure('recovery_not_proven', { extra: { reason } });
}
