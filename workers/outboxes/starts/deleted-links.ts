import { deletedLinksChannel, markSessionsEnded } from '../../../db/queries/links.ts';
import { listOfDeletedLinks } from '../../../db/queries/orphaned-checks.ts';
import type { Outbox } from '../relay.ts';
import { cancelChecks, type CancelChecksDeps, type EndedChecks } from './cancel-checks.ts';

/**
 * Cancels the running checks of deleted links. A deletion marks the link; the mark stays until all
 * its checks have ended.
 */
export function deletedLinks(deps: CancelChecksDeps): Outbox {
  const ended: EndedChecks = {
    list: (after, lengthMax) => listOfDeletedLinks(deps.db, after, lengthMax),
    reason: 'link_deleted',
    because: 'link-deleted',
  };
  return {
    channel: deletedLinksChannel,
    countedAs: 'deleted_links',
    drain: async (signal) => {
      await cancelChecks(deps, ended, signal);
      if (!signal.aborted) await markSessionsEnded(deps.db);
    },
  };
}
