import { closeRecoveryLink, isLive, reportRecovery } from '../../activities/identity/recovery.ts';
import { areOnePerson } from '../../db/queries/identities.ts';
import { decideRecovery, lockRecovery, type RecoveryRow } from '../../db/queries/recoveries.ts';
import type { RecoveryState } from '../../domain/identity/recovery-names.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  withAccountTransaction,
  type AccountTransaction,
} from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import type { Input } from '../http/contract.ts';
import type { recoveryContracts } from './contract.ts';
import { personOrThrow } from './person-or-throw.ts';
import { presentRecovery } from './present.ts';

type DecideInput = Input<typeof recoveryContracts.approve>;

/** A recovery with its account and row locked, and the ADMIN who decides it. */
export interface Decision {
  readonly administered: AccountTransaction;
  readonly row: RecoveryRow;
  readonly decider: string;
  readonly now: Date;
}

/**
 * Locks a recovery, runs `work` in the same transaction and presents the row that it returns.
 * Concurrent decisions of one recovery are serialized.
 * @throws Failure `session_required` for an API key, `not_found`
 */
export async function decide(
  deps: Pick<Deps, 'db'>,
  input: DecideInput,
  work: (decision: Decision) => Promise<RecoveryRow>,
) {
  const { account_id: accountId, poly_user_id: polyUserId, recovery_id: id } = input.path;
  const { now } = input.call;
  input.authorizeIn(accountId);
  const decider = personOrThrow(input.caller);
  const recovery = await withAccountTransaction(deps, input, accountId, async (administered) => {
    const row = await lockRecovery(administered.tx, id, accountId, polyUserId);
    if (!row) throw new Failure('not_found');
    return work({ administered, row, decider, now });
  });
  return { status: 200, body: await presentRecovery(deps.db, recovery, now) } as const;
}

/** @throws Failure `invalid_state` for another state or an expired recovery */
export function assertRecoveryState(
  states: readonly RecoveryState[],
  { row, now }: Decision,
): void {
  if (!states.includes(row.status) || !isLive(row, now)) throw new Failure('invalid_state');
}

/** @throws Failure `four_eyes_required` for the person who opened the recovery and its subject */
export async function assertFourEyes({ administered, row, decider }: Decision): Promise<void> {
  for (const party of [row.opened_by, row.poly_user_id]) {
    if (await areOnePerson(administered.tx, party, decider))
      throw new Failure('four_eyes_required');
  }
}

/** Ends a recovery without a new device and deletes its unused link. */
export async function close(
  { ids }: Pick<Deps, 'ids'>,
  { administered: { tx }, row, decider, now }: Decision,
  to: 'denied' | 'canceled',
): Promise<RecoveryRow> {
  const decided = await decideRecovery(tx, row.recovery_id, to, decider, now);
  const events = await closeRecoveryLink(tx, decided, now);
  await reportRecovery(tx, { ids, now }, decided, { actor: decider, events });
  return decided;
}
