import { transaction } from '../../db/client.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { linkEvent } from '../../db/queries/link-leases.ts';
import { lockLink, removeLink } from '../../db/queries/links.ts';
import { listRunningOfLink } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { trustCheckWorkflowId, cancelUpdate } from '../../workflows/trust-check/messages.ts';
import type { Deps } from '../deps.ts';
import { callerName } from '../http/auth/caller.ts';
import { handler, type Input } from '../http/contract.ts';
import { linkContracts } from './contract.ts';
import { checkOwnership, checkVersion, findLinkOrThrow } from './find.ts';
import { etagOf } from './present.ts';

type RemoveDeps = Pick<Deps, 'db' | 'ids' | 'temporal' | 'clock'>;
type Common = Pick<Input<typeof linkContracts.remove>, 'caller' | 'authorize' | 'call' | 'headers'>;

/** Maximum of sessions that the request waits for to end, so that it can answer in time. */
const canceledMax = 100;
const atOnce = 10;

async function removeFound(
  deps: RemoveDeps,
  linkUuid: string,
  appId: string | undefined,
  input: Common,
) {
  const found = await findLinkOrThrow(deps, linkUuid, appId);
  input.authorize(found);
  checkOwnership(found, input.caller, callerName(input.caller));
  checkVersion(etagOf(found), input.headers['if-match']);
  const { now } = input.call;
  // Ends running checks first: nothing is deleted while Temporal is unavailable. The mark of the
  // deletion makes workers end the rest, and checks that begin in the meantime.
  await cancelRunning(deps, linkUuid);
  await transaction(deps.db, async (tx) => {
    const locked = await lockLink(tx, linkUuid);
    const removed = locked && (await removeLink(tx, linkUuid, now));
    if (!removed) throw new Failure('not_found');
    await appendEvents(tx, { ids: deps.ids, now }, [
      linkEvent(removed, 'link.deleted', locked.status),
    ]);
  });
  return { status: 200, body: { link_uuid: linkUuid, deleted: true } } as const;
}

async function cancelRunning(deps: RemoveDeps, linkUuid: string): Promise<void> {
  const running = await listRunningOfLink(deps.db, linkUuid, canceledMax);
  for (let from = 0; from < running.length; from += atOnce) {
    const some = running.slice(from, from + atOnce);
    await Promise.all(some.map(async (id) => cancelSession(deps, id)));
  }
}

async function cancelSession(deps: RemoveDeps, linkSessionId: string): Promise<void> {
  try {
    await deps.temporal.update(
      trustCheckWorkflowId(linkSessionId),
      cancelUpdate,
      [{ reason: 'link_deleted' }],
      `link-deleted/${linkSessionId}`,
    );
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'invalid_state')) throw error;
  }
}

export const remove = handler(linkContracts.remove)((input, deps: RemoveDeps) =>
  removeFound(deps, input.path.link_uuid, input.path.app_id, input),
);
export const removeById = handler(linkContracts.removeById)((input, deps: RemoveDeps) =>
  removeFound(deps, input.path.link_uuid, input.query.app_id, input),
);
