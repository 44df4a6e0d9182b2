import { isGrpcServiceError, type ConnectionLike } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { taskQueues } from '../workflows/task-queues.ts';
import { deploymentName } from './deployment.ts';

/** temporal.api.enums.v1.WorkerDeploymentVersionStatus. */
const statuses = [
  'unknown',
  'inactive',
  'current',
  'ramping',
  'draining',
  'drained',
  'created',
] as const;

/** A build of the workers, as the workflow server knows it. */
export interface WorkerVersion {
  readonly build_id: string;
  /** `inactive` and `created` have had no workflow, `draining` has open ones, `drained` none. */
  readonly status: (typeof statuses)[number];
  /** How much of what is new it gets; null while it does not ramp. */
  readonly ramp_percent: number | null;
  /** When the server last looked for its open workflows. */
  readonly drainage_checked_at: string | null;
  /** Processes that have asked for its workflow tasks of late. */
  readonly pollers: number;
}

/** What is asked of the workflow server cannot be done; one line that says why. */
export class VersionFault extends Error {
  override readonly name = 'VersionFault';
}

export interface VersionDeps {
  readonly connection: ConnectionLike;
  readonly namespace: string;
  readonly clock: () => Date;
}

/** Making a version current asks each task queue of it: longer than other calls. */
const deadlineMs = 15_000;
/** A poll lasts a minute; the server remembers it for five. */
const pollerSeenMs = 2 * 60_000;
/** temporal.api.enums.v1.TaskQueueType. */
const workflowTasks = 1;
/** gRPC NOT_FOUND, and those by which nobody has answered. */
const notFound = 5;
const unanswered = new Set([1, 4, 14]);

/**
 * The builds that have worked in a namespace, newest first; none before the first versioned worker.
 * @param since of late: workers that asked for work before are not counted
 * @throws VersionFault
 */
export async function listVersions(
  deps: VersionDeps,
  since: Date = new Date(deps.clock().getTime() - pollerSeenMs),
): Promise<readonly WorkerVersion[]> {
  const { namespace, connection } = deps;
  const found = await callOrNull(deps, () =>
    connection.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
  );
  if (!found) return [];
  const { versionSummaries, routingConfig } = found.workerDeploymentInfo ?? {};
  const pollers = await pollersByBuild(deps, since);
  const made = (versionSummaries ?? []).map((summary) => {
    const build_id = summary.deploymentVersion?.buildId ?? '';
    const status = statuses[summary.status ?? 0] ?? 'unknown';
    const checkedAt = summary.drainageInfo?.lastCheckedTime;
    const version: WorkerVersion = {
      build_id,
      status,
      ramp_percent: status === 'ramping' ? (routingConfig?.rampingVersionPercentage ?? 0) : null,
      // Kept by the server from an earlier time, too.
      drainage_checked_at:
        status.startsWith('drain') && checkedAt ? new Date(tsToMs(checkedAt)).toISOString() : null,
      pollers: pollers.get(build_id)?.size ?? 0,
    };
    return { version, atMs: summary.createTime ? tsToMs(summary.createTime) : 0 };
  });
  return made.toSorted((one, other) => other.atMs - one.atMs).map(({ version }) => version);
}

/**
 * The builds that may have open workflows and that no worker has asked for the work of, of late or
 * since then: what they began waits.
 * @throws VersionFault
 */
export async function listDeserted(deps: VersionDeps, since?: Date): Promise<readonly string[]> {
  const versions = await listVersions(deps, since);
  return versions
    .filter(({ status, pollers }) => status === 'draining' && pollers === 0)
    .map(({ build_id }) => build_id);
}

/**
 * Makes a build current: what is new begins on it, and lasting workflows go on with it; what is
 * pinned stays where it began. A ramp ends by it, also where the build was current already.
 * @throws VersionFault where no such build has worked here, or its workers do not ask for work
 */
export async function setCurrent(deps: VersionDeps, buildId: string): Promise<void> {
  const { ramping } = await findVersion(deps, buildId);
  const { namespace, connection } = deps;
  const version = { namespace, deploymentName, buildId };
  await callOrNull(deps, () =>
    connection.workflowService.setWorkerDeploymentCurrentVersion(version),
  );
  if (!ramping || ramping === buildId) return;
  const none = { namespace, deploymentName, buildId: '', percentage: 0 };
  await callOrNull(deps, () => connection.workflowService.setWorkerDeploymentRampingVersion(none));
}

/**
 * Gives a build a share of what is new, beside the current one.
 * @throws VersionFault as `setCurrent`, and for the build that is current
 */
export async function setRamp(
  deps: VersionDeps,
  buildId: string,
  percentage: number,
): Promise<void> {
  const { current } = await findVersion(deps, buildId);
  if (current === buildId) throw new VersionFault('this build is current: it gets all already');
  if (!current)
    throw new VersionFault('no build is current: make one current before another ramps');
  const { namespace, connection } = deps;
  const ramp = { namespace, deploymentName, buildId, percentage };
  await callOrNull(deps, () => connection.workflowService.setWorkerDeploymentRampingVersion(ramp));
}

async function findVersion(deps: VersionDeps, buildId: string) {
  const versions = await listVersions(deps);
  const found = versions.find(({ build_id }) => build_id === buildId);
  if (!found) throw new VersionFault(`no worker of build ${buildId} has worked here`);
  if (found.pollers === 0) throw new VersionFault(`no worker of build ${buildId} runs now`);
  const of = (status: WorkerVersion['status']) =>
    versions.find((version) => version.status === status)?.build_id;
  return { current: of('current'), ramping: of('ramping') };
}

async function pollersByBuild(deps: VersionDeps, since: Date): Promise<Map<string, Set<string>>> {
  const { namespace, connection } = deps;
  const found = await callOrNull(deps, () =>
    connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueues.core },
      taskQueueType: workflowTasks,
    }),
  );
  const builds = new Map<string, Set<string>>();
  for (const { identity, lastAccessTime, deploymentOptions } of found?.pollers ?? []) {
    const buildId = deploymentOptions?.buildId;
    if (!buildId || !lastAccessTime || tsToMs(lastAccessTime) < since.getTime()) continue;
    builds.set(buildId, (builds.get(buildId) ?? new Set()).add(identity ?? ''));
  }
  return builds;
}

/** What the server answers in time; null where it knows nothing of it. */
async function callOrNull<T>(
  { connection }: VersionDeps,
  call: () => Promise<T>,
): Promise<T | null> {
  try {
    return await connection.withDeadline(Date.now() + deadlineMs, call);
  } catch (cause) {
    if (!isGrpcServiceError(cause)) throw cause;
    if (cause.code === notFound && !/namespace/i.test(cause.details)) return null;
    if (!unanswered.has(cause.code)) {
      throw new VersionFault(`the workflow server refuses: ${cause.details}`, { cause });
    }
    throw new VersionFault('the workflow server does not answer', { cause });
  }
}
