import type { Client } from '@temporalio/client';
import { startOfInvitation } from '../../../activities/links/start.ts';
import type { Db } from '../../../db/client.ts';
import { listUninvited, markInvited, type UninvitedLink } from '../../../db/queries/links.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/** Longer than the request that sends a link waits for the Temporal server. */
const restMs = 5_000;

/**
 * Starts the mail workflow of every link that has a row but no workflow. A concurrent retry of the
 * request finds the same workflow, so the link is mailed once.
 */
export function invitationStarts(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const madeUntil = (): Date => new Date(deps.clock().getTime() - restMs);
  const unsent = {
    list: (lengthMax: number, without: readonly string[]) =>
      listUninvited(deps.db, { made_until: madeUntil(), limit: lengthMax, without }),
    idOf: ({ link_uuid }: UninvitedLink) => link_uuid,
    start: (link: UninvitedLink) =>
      deps.client.workflow.start('linkInvitation', startOfInvitation(link)),
    mark: ({ link_uuid }: UninvitedLink) => markInvited(deps.db, link_uuid),
  };
  return {
    channel: null,
    countedAs: 'invitations',
    drain: (signal) => dispatchOutbox(unsent, deps, signal),
  };
}
