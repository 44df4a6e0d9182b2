import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { loadKeys } from '../../../../activities/keys/directory/load-keys.ts';
import { createEvidenceStore } from '../../../../activities/proofs/evidence/store.ts';
import type { ProofJudge } from '../../../../activities/proofs/judge.ts';
import { createObjectStore } from '../../../../activities/storage/config.ts';
import { createTrustCheckActivities } from '../../../../activities/trust-checks/activities.ts';
import { randomIds } from '../../../../db/ids.ts';
import { createSealer } from '../../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../../db/sealing/wrapper.ts';
import { readWorkerConfig } from '../../../../workers/config.ts';
import { createWorkers } from '../../../../workers/create-workers.ts';
import { makeWorkerDeps } from '../../../../workers/make-deps.ts';
import { relayOutboxes } from '../../../../workers/outboxes/relay.ts';
import { plannedAffidavits } from '../../../../workers/outboxes/starts/affidavit-starts.ts';
import { answerParent } from '../measure/child.ts';
import { createWorkerLog } from '../../../../workers/log.ts';

/**
 * The candidate of P3: the real worker without the cost of judging evidence, which P8 measures.
 * Every input is accepted at once; transactions, sealed inputs, events and the relay that starts
 * the affidavit are real. It does not serve the queue that renders affidavits, which P6 measures.
 */
const acceptAll: ProofJudge = {
  judge: async () => ({ outcome: 'passed', reason_code: null, retryable: false, provider: null }),
};
const clock = (): Date => new Date();

const config = readWorkerConfig();
Runtime.install({ shutdownSignals: [] });
const { deps } = await makeWorkerDeps(config, createWorkerLog(config.LOG_LEVEL));
const keys = loadKeys(join(config.DATA_DIR, 'keys'));
const sealer = createSealer(
  deps.db,
  masterWrapper(keys.secret('data-keys')),
  keys.secret('blind-index'),
);
const store = await createObjectStore(config, () => keys.secret('object-urls'), clock);
const trustCheck = createTrustCheckActivities({
  db: deps.db,
  ids: randomIds,
  sealer,
  evidence: createEvidenceStore(store, sealer),
  photos: { publish: async () => null },
  clock,
  judges: {
    biometric: acceptAll,
    device: acceptAll,
    document: acceptAll,
    nfc_passport: acceptAll,
    phone: acceptAll,
  },
});
const [core] = await createWorkers(config, {
  ...deps,
  activities: { ...deps.activities, ...trustCheck },
});
if (!core) throw new Error('there is no worker for the workflows');
const run = core.run();
relayOutboxes(deps.log, config.DATABASE_URL, [plannedAffidavits(deps)]);
answerParent(0, async () => undefined);
await run;
