import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { loadKeys } from '../../../activities/certificates/load-keys.ts';
import { createTrustCheckActivities } from '../../../activities/trust-checks/activities.ts';
import type { ProofJudge } from '../../../activities/trust-checks/proof.ts';
import { randomIds } from '../../../db/ids.ts';
import { createSealer } from '../../../db/sealed.ts';
import { readWorkerConfig } from '../../../workers/config.ts';
import { createWorkers } from '../../../workers/create-workers.ts';
import { makeWorkerDeps } from '../../../workers/make-deps.ts';
import { createAffidavitStarter } from '../../../workers/start-affidavit.ts';
import { answerParent } from '../child.ts';

/**
 * The candidate of P3: the worker as it is, but for what judging evidence costs. That is a figure
 * of its own (P8), and here every input is accepted at once; all around it is the real thing:
 * transactions, sealed inputs, projection, events, the start of the affidavit.
 */
const acceptAll: ProofJudge = {
  judge: async () => ({ outcome: 'passed', reason_code: null, retryable: false, provider: null }),
};

const config = readWorkerConfig();
Runtime.install({ shutdownSignals: [] });
const { deps } = await makeWorkerDeps(config);
const keys = loadKeys(join(config.DATA_DIR, 'keys'));
const trustCheck = createTrustCheckActivities({
  db: deps.db,
  ids: randomIds,
  sealer: createSealer(deps.db, keys.secret('data-keys'), keys.secret('blind-index')),
  clock: () => new Date(),
  judges: { phone: acceptAll, device: acceptAll, nfc_passport: acceptAll },
  startAffidavit: createAffidavitStarter(deps.client),
});
const workers = await createWorkers(config, {
  ...deps,
  activities: { ...deps.activities, ...trustCheck },
});
const runs = workers.map((worker) => worker.run());
answerParent(0, async () => undefined);
await Promise.all(runs);
