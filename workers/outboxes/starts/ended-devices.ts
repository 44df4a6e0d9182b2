import { listOfEndedDevices } from '../../../db/queries/orphaned-checks.ts';
import { endedDevicesChannel, markChecksEnded } from '../../../db/queries/vendor-revoked.ts';
import type { Outbox } from '../relay.ts';
import { cancelChecks, type CancelChecksDeps, type EndedChecks } from './cancel-checks.ts';

/**
 * Fails what devices run that were revoked by others than their owner: the revocation leaves a mark
 * on the device, which stays until nothing of it runs.
 */
export function endedDevices(deps: CancelChecksDeps): Outbox {
  const ended: EndedChecks = {
    list: (after, limit) => listOfEndedDevices(deps.db, { after, limit }),
    reason: 'attestation_failed',
    because: 'device-ended',
  };
  return {
    channel: endedDevicesChannel,
    countedAs: 'ended_devices',
    drain: async (signal) => {
      await cancelChecks(deps, ended, signal);
      if (!signal.aborted) await markChecksEnded(deps.db, []);
    },
  };
}
