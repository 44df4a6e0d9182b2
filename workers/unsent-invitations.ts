import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { startOfInvitation } from '../activities/invitations/start.ts';
import type { Db } from '../db/client.ts';
import { listUninvited, markInvited, type UninvitedLink } from '../db/queries/links.ts';
import type { Outbox } from './relay.ts';

export interface UnsentInvitationsDeps {
  readonly db: Db;
  readonly client: Client;
  readonly clock: () => Date;
}

const batchSize = 100;
const deadlineMs = 5_000;
/** Longer than a request that sends a link waits for the workflow server. */
const restMs = 5_000;

/**
 * Starts the workflow that mails a link for every link whose sending went no further than its row.
 * A request that is repeated meanwhile finds the same workflow: nobody is mailed twice.
 */
export function unsentInvitations({ db, client, clock }: UnsentInvitationsDeps): Outbox {
  return {
    channel: null,
    drain: async () => {
      for (;;) {
        const madeUntil = new Date(clock().getTime() - restMs);
        const unsent = await listUninvited(db, madeUntil, batchSize);
        for (const link of unsent) {
          await client.withDeadline(clock().getTime() + deadlineMs, () => start(client, link));
          await markInvited(db, link.link_uuid);
        }
        if (unsent.length < batchSize) return;
      }
    },
  };
}

async function start(client: Client, link: UninvitedLink): Promise<void> {
  try {
    await client.workflow.start('linkInvitation', startOfInvitation(link));
  } catch (error) {
    // It has been started before, and has ended.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
