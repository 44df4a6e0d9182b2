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

/** A build of the workers, as reported by the Temporal server. */
export interface WorkerVersion {
  readonly build_id: string;
  /** `inactive` and `created` have had no workflow, `draining` has open ones, `drained` none. */
  readonly status: (typeof statuses)[number];
  /** Percentage of new workflows that it gets; null while it does not ramp. */
  readonly ramp_percent: number | null;
  /** When the server last checked for open workflows of this build. */
  readonly drainage_checked_at: string | null;
  /** Processes that recently polled for its workflow tasks. */
  readonly pollers: number;
}

/** A request that the Temporal server cannot fulfill. The message is one line. */
export class VersionFault extends Error {
  override readonly name = 'VersionFault';
}

export interface VersionDeps {
  readonly connection: ConnectionLike;
  readonly namespace: string;
  readonly clock: () => Date;
}

/**
 * Making a version current queries each of its task queues, so it takes longer than other calls.
 */
const deadlineMs = 15_000;
/** A poll lasts one minute. The server remembers it for five. */
const pollerSeenMs = 2 * 60_000;
/** temporal.api.enums.v1.TaskQueueType. */
const workflowTasks = 1;
/** gRPC NOT_FOUND, and below the codes that mean no answer. */
const notFound = 5;
const unanswered = new Set([1, 4, 14]);

/**
 * Returns the builds of a namespace, newest first; none before the first versioned worker.
 * @param since workers that polled before this time are not counted
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
      // The server also keeps this value of an earlier drainage.
      drainage_checked_at:
        status.startsWith('drain') && checkedAt ? new Date(tsToMs(checkedAt)).toISOString() : null,
      pollers: pollers.get(build_id)?.size ?? 0,
    };
    return { version, atMs: summary.createTime ? tsToMs(summary.createTime) : 0 };
  });
  return made.toSorted((one, other) => other.atMs - one.atMs).map(({ version }) => version);
}

/**
 * Returns the builds that may have open workflows but no worker that polls: their workflows wait.
 * @param since workers that polled before this time are not counted
 * @throws VersionFault
 */
export async function listDeserted(deps: VersionDeps, since?: Date): Promise<readonly string[]> {
  const versions = await listVersions(deps, since);
  return versions
    .filter(({ status, pollers }) => status === 'draining' && pollers === 0)
    .map(({ build_id }) => build_id);
}

/**
 * Makes a build current: new workflows start on it, and unpinned workflows move to it. Pinned ones
 * stay on their build. Ends a ramp, even if the build is current already.
 * @throws VersionFault if no worker of this build has run here, or none polls now
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
 * Routes a share of new workflows to a build, beside the current one.
 * @throws VersionFault as `setCurrent`, and if the build is current
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

/**
 * Returns the server's answer, or null if it does not have the object.
 * @throws VersionFault if the server refuses or does not answer
 */
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
