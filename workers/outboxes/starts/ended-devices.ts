import { listOfEndedDevices } from '../../../db/queries/orphaned-checks.ts';
import { endedDevicesChannel, markChecksEnded } from '../../../db/queries/vendor-revoked.ts';
import type { Outbox } from '../relay.ts';
import { cancelChecks, type CancelChecksDeps, type EndedChecks } from './cancel-checks.ts';

/**
 * Fails the running checks of devices that were revoked by someone other than their owner. A
 * revocation marks the device; the mark stays until all its checks have ended.
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
