import type { Client } from '@temporalio/client';
import { startOfReceipt } from '../../../activities/proofs/device/apple/start-receipt.ts';
import type { Db } from '../../../db/client.ts';
import {
  listUnfollowed,
  markFollowed,
  type UnfollowedDevice,
} from '../../../db/queries/receipts.ts';
import type { Outbox } from '../relay.ts';
import { startEach, type StartEachDeps } from '../start-each.ts';

/**
 * Starts the workflow that follows the receipt of an iPhone, for every one that was enrolled with
 * an app of a team whose key is here. Those of other teams wait until theirs is.
 */
export function unfollowedReceipts(
  deps: StartEachDeps & {
    readonly db: Db;
    readonly client: Client;
    readonly kept: { readonly appleTeams: readonly string[] };
  },
): Outbox {
  const { appleTeams: teams } = deps.kept;
  const unfollowed = {
    list: (lengthMax: number, without: readonly string[]) =>
      listUnfollowed(deps.db, { teams, limit: lengthMax, without }),
    idOf: ({ device_id }: UnfollowedDevice) => device_id,
    start: (device: UnfollowedDevice) =>
      deps.client.workflow.start('deviceReceipt', startOfReceipt(device)),
    mark: ({ device_id }: UnfollowedDevice) => markFollowed(deps.db, device_id, deps.clock()),
  };
  return {
    channel: null,
    countedAs: null,
    drain: async (signal) => {
      if (teams.length > 0) await startEach(unfollowed, deps, signal);
    },
  };
}
