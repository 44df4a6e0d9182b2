import { writeSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createSigningActivities } from '../../../activities/keys/signing/activities.ts';
import { readWorkerConfig } from '../../../workers/config.ts';
import { createWorkers } from '../../../workers/create-workers.ts';
import { makeWorkerDeps } from '../../../workers/make-deps.ts';
import type { SigningRequest } from '../../../workflows/signing/messages.ts';
import { watched, type OnStep } from '../../support/platform/watched.ts';
import { createWorkerLog } from '../../../workers/log.ts';

/**
 * A worker that kills itself with SIGKILL at the signing step in its argument. It prints the line
 * `ready` when it polls. At the last step it prints `signed` and the DER in base64.
 */
const [dieAt] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
const config = readWorkerConfig();
const { deps } = await makeWorkerDeps(config, createWorkerLog(config.LOG_LEVEL));
const { db, ids, clock, kept } = deps;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Wraps the signers to report their steps by key name. */
function watchedKeys(onStep: OnStep) {
  const { peopleCa, servicesCa, tsa, retired, nextCas } = kept.keys.loaded;
  return {
    peopleCa: watched(peopleCa, 'people-ca', onStep),
    servicesCa: watched(servicesCa, 'services-ca', onStep),
    tsa: watched(tsa, 'tsa', onStep),
    retired,
    nextCas,
  };
}

async function sign(request: SigningRequest) {
  const onStep = (step: string): void => {
    if (`${request.kind}: ${step}` === dieAt) die();
  };
  const { sign: signOne } = createSigningActivities({
    db: watched(db, 'sql', onStep),
    keys: watchedKeys(onStep),
    ids,
    clock,
    baseUrl: config.BASE_URL,
  });
  const answer = await signOne(request);
  if (`${request.kind}: returned` !== dieAt) return answer;
  writeSync(1, `signed ${answer.der}\n`);
  die();
  return answer;
}

const workers = await createWorkers(config, { ...deps, activities: { ...deps.activities, sign } });
const runs = workers.map((worker) => worker.run());
writeSync(1, 'ready\n');
await Promise.all(runs);
