import { republishParticipants } from '../../../activities/meetings/republish-participants.ts';
import { transaction } from '../../../db/client.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import { appendEvents } from '../../../db/queries/events.ts';
import { sessionEvent } from '../../../db/queries/session-event.ts';
import { lockTrustCheck, revokeOutcome } from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { callerName } from '../../http/auth/caller.ts';
import { handler } from '../../http/contract.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { trustCheckContracts } from '../contract.ts';
import { presentSession } from '../present.ts';

/**
 * Revokes a passed outcome. The status of the session stays. Repeating it changes nothing, but
 * notifies live meetings that were not notified yet.
 */
export const revoke = handler(trustCheckContracts.revoke)(async (
  input,
  deps: Pick<Deps, 'clock' | 'db' | 'ids' | 'sealer'>,
) => {
  const { id } = input.path;
  await findSessionOrThrow(deps, id, input.caller, input.authorize);
  const { now } = input.call;
  const revoked = await transaction(deps.db, async (tx) => {
    const before = await lockTrustCheck(tx, id);
    if (!before) throw new Failure('not_found');
    if (before.outcome_validity === 'revoked') return before;
    if (before.status !== 'passed') {
      throw new Failure('invalid_state', { detail: `The check is ${before.status}` });
    }
    const after = await revokeOutcome(tx, id);
    const entry = { accountId: after.account_id, objectId: id, details: {} };
    const actor = callerName(input.caller);
    await appendAudit(tx, { ...entry, action: 'trust_check.revoked', actor }, now);
    await appendEvents(tx, { ids: deps.ids, now }, [sessionEvent(after, 'trust_check.revoked')]);
    return after;
  });
  await republishParticipants(deps, id);
  return { status: 200, body: await presentSession(deps, revoked, input.caller) };
});
