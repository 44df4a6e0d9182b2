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
 * Starts the workflow that asks the vendor of a phone what it recalls of it. Tokens of phones whose
 * vendor cannot be asked with the keys that are here are forgotten: they are good for a while only.
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
