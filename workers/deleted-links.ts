import {
  isGrpcServiceError,
  WithStartWorkflowOperation,
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { Logger } from 'pino';
import { projectAnswer } from '../activities/trust-checks/project.ts';
import { startOf, usualTimers } from '../activities/trust-checks/start.ts';
import type { Db } from '../db/client.ts';
import type { Ids } from '../db/ids.ts';
import { deletedLinksChannel, markSessionsEnded } from '../db/queries/links.ts';
import { listOfDeletedLinks, type OrphanedCheck } from '../db/queries/orphaned-checks.ts';
import { cancelUpdate } from '../workflows/trust-check/messages.ts';
import type { Outbox } from './relay.ts';

export interface DeletedLinksDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
  readonly client: Client;
  readonly log: Pick<Logger, 'warn'>;
}

const batchSize = 100;
const atOnce = 10;
const deadlineMs = 3_000;

/**
 * Cancels what runs on links that were deleted, all of it: the deletion is a mark on the link,
 * which stays until nothing of it runs. One that is being decided is left to its decision; one
 * whose workflow was never started is started canceled, so that nobody starts it otherwise later.
 */
export function deletedLinks(deps: DeletedLinksDeps): Outbox {
  return {
    channel: deletedLinksChannel,
    countedAs: 'deleted_links',
    drain: async (signal) => {
      let after = '';
      for (;;) {
        const running = await listOfDeletedLinks(deps.db, after, batchSize);
        for (let from = 0; from < running.length; from += atOnce) {
          if (signal.aborted) return;
          await cancelAll(deps, running.slice(from, from + atOnce));
        }
        if (running.length < batchSize) break;
        after = running.at(-1)?.link_session_id ?? '';
      }
      await markSessionsEnded(deps.db);
    },
  };
}

/** One that cannot be canceled is not in the others' way; when none can, a later sweep may. */
async function cancelAll(deps: DeletedLinksDeps, checks: readonly OrphanedCheck[]): Promise<void> {
  const outcomes = await Promise.allSettled(checks.map(async (check) => cancel(deps, check)));
  const faults = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  if (faults.length === checks.length) throw faults[0];
  for (const err of faults) deps.log.warn({ err }, 'a check of a deleted link runs on');
}

async function cancel({ client, ...deps }: DeletedLinksDeps, check: OrphanedCheck): Promise<void> {
  const operation = new WithStartWorkflowOperation('trustCheck', startOf(check, usualTimers, null));
  try {
    const snapshot = await client.withDeadline(deps.clock().getTime() + deadlineMs, () =>
      client.workflow.executeUpdateWithStart(cancelUpdate, {
        startWorkflowOperation: operation,
        args: [{ reason: 'link_deleted' }],
        updateId: `link-deleted/${check.link_session_id}`,
      }),
    );
    await projectAnswer(deps, snapshot);
  } catch (error) {
    if (!isDecided(error)) throw error;
  }
}

/** The session is being decided, or has just been. */
function isDecided(error: unknown): boolean {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return true;
  return (
    error instanceof WorkflowUpdateFailedError || (isGrpcServiceError(error) && error.code === 5)
  );
}
