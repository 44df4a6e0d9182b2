import { createWrapper, masterKeyConfig } from '../../activities/keys/data-keys-config.ts';
import { parseConfig } from '../../activities/runtime/config.ts';
import { withCauses } from '../../activities/runtime/with-causes.ts';
import { rewrapSome, type RewrapStep } from '../../db/sealing/rewrap.ts';
import type { Failure } from '../../workflows/failures.ts';
import { withDatabase } from '../admin/with-database.ts';
import { loadLocalKeys } from '../data-directory/keys.ts';
import { environment } from '../environment.ts';

const batchMax = 500;

/**
 * Wraps every data key of another master key with `MASTER_KEY`, while the service runs. Exit codes:
 * 0 if none is left, 1 with the reason if one cannot be unwrapped. Keys already wrapped stay so.
 */
export function rewrapKeys(dataDir: string): Promise<number> {
  return withDatabase(dataDir, async (db) => {
    const config = parseConfig(masterKeyConfig, environment());
    const wrapper = createWrapper(config, loadLocalKeys(dataDir).secret('data-keys'));
    let fault: Failure | undefined;
    let rewrapped = 0;
    for (let after: string | null = ''; after !== null;) {
      const step: RewrapStep = await rewrapSome(db, wrapper, after, batchMax);
      rewrapped += step.rewrapped;
      fault ??= step.faults[0];
      after = step.after;
    }
    process.stdout.write(`${rewrapped} data keys rewrapped under ${wrapper.currentId}\n`);
    if (fault) process.stderr.write(`not all of them: ${withCauses(fault.cause)}\n`);
    return fault ? 1 : 0;
  });
}
