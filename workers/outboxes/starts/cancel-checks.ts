import {
  isGrpcServiceError,
  WithStartWorkflowOperation,
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { Logger } from 'pino';
import { startOf, usualTimers } from '../../../activities/trust-checks/start.ts';
import type { Db } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import type { OrphanedCheck } from '../../../db/queries/orphaned-checks.ts';
import { cancelUpdate, type CancelArgs } from '../../../workflows/trust-check/messages.ts';

export interface CancelChecksDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
  readonly client: Client;
  readonly log: Pick<Logger, 'warn'>;
}

/** Checks to cancel, and why. */
export interface EndedChecks {
  /**
   * Returns running checks in the order of their ids, at most `lengthMax`, starting after `after`.
   */
  list(after: string, lengthMax: number): Promise<OrphanedCheck[]>;
  readonly reason: CancelArgs['reason'];
  /** Prefix of the update id, which is the same over retries. */
  readonly because: string;
}

const batchSize = 100;
const atOnce = 10;
const deadlineMs = 3_000;

/**
 * Cancels all listed checks. A check that is being decided keeps its decision. A check without a
 * workflow gets one that starts canceled, so that nothing else can start it later.
 */
export async function cancelChecks(
  deps: CancelChecksDeps,
  ended: EndedChecks,
  signal: AbortSignal,
): Promise<void> {
  let after = '';
  for (;;) {
    const running = await ended.list(after, batchSize);
    for (let from = 0; from < running.length; from += atOnce) {
      if (signal.aborted) return;
      await cancelAll(deps, ended, running.slice(from, from + atOnce));
    }
    if (running.length < batchSize) return;
    after = running.at(-1)?.link_session_id ?? '';
  }
}

/**
 * Cancels checks in parallel. One failure does not stop the others; if all fail, a later sweep
 * retries.
 */
async function cancelAll(
  deps: CancelChecksDeps,
  ended: EndedChecks,
  checks: readonly OrphanedCheck[],
): Promise<void> {
  const outcomes = await Promise.allSettled(
    checks.map(async (check) => cancel(deps, ended, check)),
  );
  const faults = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  if (faults.length === checks.length) throw faults[0];
  for (const err of faults) deps.log.warn({ err, because: ended.because }, 'a check runs on');
}

async function cancel(
  { client, ...deps }: CancelChecksDeps,
  { reason, because }: EndedChecks,
  check: OrphanedCheck,
): Promise<void> {
  const operation = new WithStartWorkflowOperation('trustCheck', startOf(check, usualTimers, null));
  try {
    await client.withDeadline(deps.clock().getTime() + deadlineMs, () =>
      client.workflow.executeUpdateWithStart(cancelUpdate, {
        startWorkflowOperation: operation,
        args: [{ reason }],
        updateId: `${because}/${check.link_session_id}`,
      }),
    );
  } catch (error) {
    if (!isDecided(error)) throw error;
  }
}

/** Whether the error means that the session is being decided, or was decided already. */
function isDecided(error: unknown): boolean {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return true;
  return (
    error instanceof WorkflowUpdateFailedError || (isGrpcServiceError(error) && error.code === 5)
  );
}
