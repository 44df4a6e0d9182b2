import type { Logger } from 'pino';
import { cosign, type CosignDeps } from '../../../activities/transparency/cosign.ts';
import type { PublicLog } from '../../../activities/transparency/public-log.ts';
import type { Witness } from '../../../activities/transparency/witnesses.ts';
import type { CheckpointRow } from '../../../db/queries/transparency.ts';
import type { Outbox } from '../relay.ts';

interface WitnessedDeps extends CosignDeps {
  readonly kept: {
    readonly publicLog: Pick<PublicLog, 'newest'>;
    readonly witnesses: readonly Witness[];
  };
  readonly log: Pick<Logger, 'warn'>;
}

const restMsMin = 5_000;
const restMsMax = 600_000;

/**
 * Sends the newest checkpoint to every witness that has not signed it yet. Nothing waits for it. An
 * unavailable or refusing witness is retried with a growing delay, independently of the others.
 */
export function witnessedCheckpoints(deps: WitnessedDeps): Outbox {
  const { witnesses, publicLog } = deps.kept;
  const requesters = witnesses.map((witness) => createRequester(deps, witness));
  return {
    channel: null,
    countedAs: null,
    drain: async () => {
      if (requesters.length === 0) return;
      const newest = await publicLog.newest();
      await Promise.all(requesters.map((request) => request(newest)));
    },
  };
}

function createRequester(
  deps: WitnessedDeps,
  witness: Witness,
): (newest: CheckpointRow) => Promise<void> {
  let nextAt = 0;
  let restMs = restMsMin;
  return async (newest) => {
    const now = deps.clock().getTime();
    if (now < nextAt) return;
    try {
      const how = await cosign(deps, witness, newest);
      if (how === 'ahead' || how === 'refused') throw new Error(says[how]);
      restMs = restMsMin;
    } catch (err) {
      deps.log.warn({ err, witness: witness.key.name }, 'a witness has not signed');
      nextAt = now + restMs;
      restMs = Math.min(restMs * 2, restMsMax);
    }
  };
}

const says = {
  ahead: 'it knows a longer log of this name than there is: was a database restored?',
  refused: 'it refuses the checkpoint',
} as const;
