import type { Client } from '@temporalio/client';
import { startOfRecall } from '../../../activities/proofs/device/start-recall.ts';
import type { Db } from '../../../db/client.ts';
import {
  dropUnasked,
  listDueRecalls,
  markRecallStarted,
  type DueRecall,
} from '../../../db/queries/recalls.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/**
 * Starts the recall workflow of every due phone. Deletes the tokens of phones that need a vendor
 * key which we do not have, since tokens expire soon.
 */
export function dueRecalls(
  deps: DispatchDeps & {
    readonly db: Db;
    readonly client: Client;
    readonly kept: { readonly appleTeams: readonly string[]; readonly recallsAndroid: boolean };
  },
): Outbox {
  const { appleTeams, recallsAndroid } = deps.kept;
  const due = {
    list: (lengthMax: number, without: readonly string[]) =>
      listDueRecalls(deps.db, { limit: lengthMax, without }),
    idOf: ({ device_id }: DueRecall) => device_id,
    start: (recall: DueRecall) => deps.client.workflow.start('deviceRecall', startOfRecall(recall)),
    mark: (recall: DueRecall) => markRecallStarted(deps.db, recall),
  };
  return {
    channel: null,
    countedAs: 'device_recalls',
    drain: async (signal) => {
      await dropUnasked(deps.db, [appleTeams, recallsAndroid]);
      await dispatchOutbox(due, deps, signal);
    },
  };
}
