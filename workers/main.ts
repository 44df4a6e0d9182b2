import { once } from 'node:events';
import { Runtime } from '@temporalio/worker';
import { keyPlaceOf } from '../activities/keys/config.ts';
import { heldKeys } from '../activities/keys/directory/held-keys.ts';
import { refuseDevelopment } from '../activities/keys/directory/production-faults.ts';
import { loadDevTrust } from '../activities/runtime/config.ts';
import { askTemporal, createReadiness } from '../activities/runtime/readiness.ts';
import { withCauses } from '../activities/runtime/with-causes.ts';
import { requireMigrated } from '../db/migrate.ts';
import { alive } from '../db/queries/alive.ts';
import { plannedAffidavits } from './affidavits.ts';
import { auditCheckpoints } from './audit-checkpoints.ts';
import { readWorkerConfig } from './config.ts';
import { createWorkers } from './create-workers.ts';
import { cutUploads } from './cut-uploads.ts';
import { deletedLinks } from './deleted-links.ts';
import { queuedDeliveries } from './deliveries.ts';
import { dueRecalls } from './due-recalls.ts';
import { endedDevices } from './ended-devices.ts';
import { endedRecoveries } from './ended-recoveries.ts';
import { endedSessions } from './ended-sessions.ts';
import { expiredLinks } from './expired-links.ts';
import { expiredPhotos } from './expired-photos.ts';
import { createHealthServer } from './health.ts';
import { keptSchedules } from './kept-schedules.ts';
import { logProofs, lookAtLog } from './log-proofs.ts';
import { mailReports } from './mail-reports.ts';
import { makeWorkerDeps } from './make-deps.ts';
import {
  endedCalendarFlows,
  endedFaceMarks,
  endedPlatformFlows,
  oldCalendarAnswers,
  oldEmailRequests,
  oldInvites,
  oldMemberMails,
} from './old-secrets.ts';
import { platformEvents } from './platform-events.ts';
import { relayOutboxes } from './relay.ts';
import { unfollowedReceipts } from './unfollowed-receipts.ts';
import { unmailedMembers } from './unmailed-members.ts';
import { unsentInvitations } from './unsent-invitations.ts';
import { unstartedChecks } from './unstarted-checks.ts';
import { unstartedMeetings } from './unstarted-meetings.ts';
import { untakenEmails } from './untaken-emails.ts';
import { untoldCalendars } from './untold-calendars.ts';
import { witnessedCheckpoints } from './witnessed-checkpoints.ts';

/** The worker process: one worker with the workflows, one each for what needs its own queue. */
async function main(): Promise<void> {
  const config = readWorkerConfig();
  loadDevTrust(config, config.PROFILE);
  await requireMigrated(config.DATABASE_URL);
  Runtime.install({ shutdownSignals: [] });
  const { deps, stop } = await makeWorkerDeps(config);
  await refuseDevelopment(config, { ...keyPlaceOf(config), holds: heldKeys.worker }, deps.db);
  const [workers] = await Promise.all([createWorkers(config, deps), deps.threads.ready()]);
  const runs = workers.map((worker) => worker.run());
  const outboxes = [
    plannedAffidavits(deps),
    queuedDeliveries(deps),
    expiredLinks(deps),
    endedSessions(deps),
    endedRecoveries(deps),
    oldMemberMails(deps),
    endedPlatformFlows(deps),
    oldInvites(deps),
    oldEmailRequests(deps),
    endedCalendarFlows(deps),
    oldCalendarAnswers(deps),
    endedFaceMarks(deps),
    expiredPhotos(deps),
    cutUploads(deps),
    deletedLinks(deps),
    endedDevices(deps),
    unstartedChecks(deps),
    unsentInvitations(deps),
    unfollowedReceipts(deps),
    dueRecalls(deps),
    untakenEmails(deps),
    unmailedMembers(deps),
    mailReports(deps),
    keptSchedules(deps),
    unstartedMeetings(deps),
    platformEvents(deps),
    untoldCalendars(deps),
    auditCheckpoints(deps),
    logProofs(deps),
    witnessedCheckpoints(deps),
  ];
  await lookAtLog(deps);
  const relay = relayOutboxes(deps.log, config.DATABASE_URL, outboxes);
  const readiness = createReadiness({
    workers: async () => {
      if (workers.some((worker) => worker.getState() !== 'RUNNING')) throw new Error('not polling');
    },
    database: () => alive(deps.db, []),
    temporal: () => askTemporal(deps.connection),
    log: async () => {
      if (deps.kept.publicLog.fault() !== null) throw new Error('the public log is not signed');
    },
  });
  const health = createHealthServer(readiness, deps.metrics.registry);
  health.listen(config.WORKER_PORT, config.METRICS_HOST);
  await once(health, 'listening');
  const end = async (): Promise<void> => {
    health.close();
    await relay.stop();
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled(runs);
    await stop();
  };
  process.once('SIGTERM', () => void end());
  process.once('SIGINT', () => void end());
  deps.log.info({ port: config.WORKER_PORT }, 'working');
  await Promise.all(runs);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${withCauses(error)}\n`);
  process.exit(1);
});
