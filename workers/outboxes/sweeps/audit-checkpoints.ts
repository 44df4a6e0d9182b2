import type { Logger } from 'pino';
import {
  keepCheckpoint,
  type KeepCheckpointDeps,
} from '../../../activities/transparency/audit/keep-checkpoint.ts';
import { listMovedHeads } from '../../../db/queries/audit.ts';
import type { Outbox } from '../relay.ts';
import { sweep } from '../sweep.ts';

/** Each row costs one or two requests to the object store. */
const batchMax = 50;

interface AuditCheckpointDeps extends Pick<KeepCheckpointDeps, 'db' | 'clock'> {
  readonly kept: Pick<KeepCheckpointDeps, 'keys' | 'store'>;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Stores a signed checkpoint of every audit log that has grown, once a minute. With it, `audit
 * verify` detects rows that are removed later together with the head. A log that does not continue
 * its last checkpoint gets none, which is logged at every sweep.
 */
export function auditCheckpoints(deps: AuditCheckpointDeps): Outbox {
  const keeping = { ...deps, ...deps.kept };
  let after = 0;
  return sweep(
    deps,
    async (_now, lengthMax) => {
      const heads = await listMovedHeads(deps.db, { after, limit: lengthMax });
      for (const head of heads) {
        const { account_id, seq } = head;
        if (!(await keepCheckpoint(keeping, head))) {
          deps.log.error({ account_id, seq }, 'an audit log does not go on from its checkpoint');
        }
        after = account_id;
      }
      if (heads.length < lengthMax) after = 0;
      return heads.length;
    },
    batchMax,
  );
}
