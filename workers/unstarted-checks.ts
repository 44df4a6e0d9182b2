import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { startOf, usualTimers } from '../activities/trust-checks/start.ts';
import type { Db } from '../db/client.ts';
import { listUnstarted, markStarted, type OrphanedCheck } from '../db/queries/orphaned-checks.ts';
import type { Outbox } from './relay.ts';

export interface UnstartedChecksDeps {
  readonly db: Db;
  readonly client: Client;
  readonly clock: () => Date;
}

const batchSize = 100;
const deadlineMs = 5_000;
/** Longer than a request that begins a session waits for the workflow server. */
const restMs = 5_000;

/**
 * Starts the workflow of every session whose begin went no further than its row: the process died,
 * or the workflow server was away and nobody asked again. Its deadlines then run, and it can be
 * canceled. A begin that is repeated meanwhile finds the same workflow, and this the one it starts.
 */
export function unstartedChecks({ db, client, clock }: UnstartedChecksDeps): Outbox {
  return {
    channel: null,
    drain: async () => {
      for (;;) {
        const begunUntil = new Date(clock().getTime() - restMs);
        const unstarted = await listUnstarted(db, begunUntil, batchSize);
        for (const check of unstarted) {
          await client.withDeadline(clock().getTime() + deadlineMs, () => start(client, check));
          await markStarted(db, check.link_session_id);
        }
        if (unstarted.length < batchSize) return;
      }
    },
  };
}

async function start(client: Client, check: OrphanedCheck): Promise<void> {
  try {
    await client.workflow.start('trustCheck', startOf(check, check, usualTimers, null));
  } catch (error) {
    // It has been started before, and has ended.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
