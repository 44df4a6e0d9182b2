import type { Client } from '@temporalio/client';
import { startOfReceipt } from '../../../activities/proofs/device/apple/start-receipt.ts';
import type { Db } from '../../../db/client.ts';
import {
  listWithoutReceiptWorkflow,
  markFollowed,
  type DeviceWithoutReceipt,
} from '../../../db/queries/receipts.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/**
 * Starts the receipt workflow of every iPhone that was enrolled with an app of a team we have a key
 * for. The others wait for a key.
 */
export function receiptStarts(
  deps: DispatchDeps & {
    readonly db: Db;
    readonly client: Client;
    readonly kept: { readonly appleTeams: readonly string[] };
  },
): Outbox {
  const { appleTeams: teams } = deps.kept;
  const unfollowed = {
    list: (lengthMax: number, without: readonly string[]) =>
      listWithoutReceiptWorkflow(deps.db, { teams, limit: lengthMax, without }),
    idOf: ({ device_id }: DeviceWithoutReceipt) => device_id,
    start: (device: DeviceWithoutReceipt) =>
      deps.client.workflow.start('deviceReceipt', startOfReceipt(device)),
    mark: ({ device_id }: DeviceWithoutReceipt) => markFollowed(deps.db, device_id, deps.clock()),
  };
  return {
    channel: null,
    countedAs: null,
    drain: async (signal) => {
      if (teams.length > 0) await dispatchOutbox(unfollowed, deps, signal);
    },
  };
}
