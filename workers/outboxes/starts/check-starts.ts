import type { Client } from '@temporalio/client';
import { startOf, usualTimers } from '../../../activities/trust-checks/start.ts';
import type { Db } from '../../../db/client.ts';
import {
  listUnstarted,
  markStarted,
  type OrphanedCheck,
} from '../../../db/queries/orphaned-checks.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/** Longer than the request that starts a session waits for the Temporal server. */
const restMs = 5_000;

/**
 * Starts the workflow of every session that has a row but no workflow: the process died, or the
 * Temporal server was unavailable and the caller did not retry. Then the deadlines of the session
 * run, and it can be canceled. A concurrent retry of the request finds the same workflow.
 */
export function checkStarts(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const begunUntil = (): Date => new Date(deps.clock().getTime() - restMs);
  const unstarted = {
    list: (lengthMax: number, without: readonly string[]) =>
      listUnstarted(deps.db, { begun_until: begunUntil(), limit: lengthMax, without }),
    idOf: ({ link_session_id }: OrphanedCheck) => link_session_id,
    start: (check: OrphanedCheck) =>
      deps.client.workflow.start('trustCheck', startOf(check, usualTimers, null)),
    mark: ({ link_session_id }: OrphanedCheck) => markStarted(deps.db, link_session_id),
  };
  return {
    channel: null,
    countedAs: 'checks',
    drain: (signal) => dispatchOutbox(unstarted, deps, signal),
  };
}
