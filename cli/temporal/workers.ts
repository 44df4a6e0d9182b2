import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { askTemporal } from '../../activities/runtime/readiness.ts';
import { temporalTlsOf } from '../../activities/runtime/temporal-tls.ts';
import { buildIdForm, buildIdOf } from '../../workers/deployment.ts';
import {
  listDeserted,
  listVersions,
  setCurrent,
  setRamp,
  VersionFault,
  type VersionDeps,
  type WorkerVersion,
} from '../../workers/versions.ts';
import { printable } from '../command-line/printable.ts';
import { readState } from '../data-directory/state.ts';
import { environment } from '../environment.ts';

const ownWaitMsMax = 60_000;
const ownWaitMs = 1_000;
const connectMsMax = 5_000;
/** A poll lasts one minute; a worker without a new poll after this time has ended. */
const pollMsMax = 75_000;
const rampForm = /^[1-9]\d?$/;

/**
 * Prints the builds of the workers, newest first, one per line. Exit codes: 0, or 1 with the
 * reason.
 */
export function printVersions(dataDir: string, isJson: boolean): Promise<number> {
  return withServer(dataDir, async (deps) => {
    const versions = await listVersions(deps);
    if (isJson) return JSON.stringify(versions);
    if (versions.length === 0) {
      process.stderr.write('no builds: WORKER_VERSIONING is off for the workers there\n');
    }
    return versions.map(lineOf).join('\n');
  });
}

/**
 * Makes a build of the workers current (default: this installation's), or gives it a share of new
 * workflows. Exit codes: 0 done, 1 with a one-line reason, 2 for invalid arguments. Prints a line
 * on stderr for each build with open workflows and without workers. If this installation has just
 * replaced its workers, waits until they poll.
 */
export async function makeCurrent(
  options: { readonly buildId?: string; readonly ramp?: string },
  dataDir: string,
): Promise<number> {
  const fault = currentFault(options);
  if (fault) {
    process.stderr.write(`${fault}\n`);
    return 2;
  }
  return withServer(dataDir, async (deps) => {
    if (options.buildId !== undefined) {
      const said = await route(deps, options.buildId, options.ramp);
      await warnOf(listDeserted(deps));
      return said;
    }
    const buildId = await ownBuild();
    const said = await onceItCan(() => route(deps, buildId, options.ramp));
    await warnOf(desertedNow(deps));
    return said;
  });
}

/** Returns the usage error of `set-current` as one line; null if there is none. */
export function currentFault({
  buildId,
  ramp,
}: {
  readonly buildId?: string;
  readonly ramp?: string;
}): string | null {
  if (buildId !== undefined && !buildIdForm.test(buildId)) {
    return '--build-id: 64 hexadecimal digits, as trustcheck workers versions prints them';
  }
  if (ramp !== undefined && !rampForm.test(ramp)) {
    return (
      '--ramp: a whole number from 1 to 99; for all leave it out, ' +
      'and to end a ramp make the current build current again'
    );
  }
  return null;
}

function lineOf({ build_id, status, ramp_percent, pollers }: WorkerVersion): string {
  const share = ramp_percent === null ? '' : ` ${ramp_percent} %`;
  return `${build_id} ${status}${share}, ${pollers} ${pollers === 1 ? 'worker' : 'workers'}`;
}

async function route(deps: VersionDeps, buildId: string, ramp?: string): Promise<string> {
  if (ramp === undefined) {
    await setCurrent(deps, buildId);
    return `${buildId} is current`;
  }
  await setRamp(deps, buildId, Number(ramp));
  return `${buildId} gets ${ramp} % of what is new`;
}

async function ownBuild(): Promise<string> {
  // Takes a second to load, and only this command needs it.
  const { createTracing } = await import('../../activities/runtime/tracing.ts');
  const { bundleWorkflows } = await import('../../workers/bundle.ts');
  const { plugin, stop } = await createTracing('trustcheck-cli', undefined);
  const bundle = await bundleWorkflows(plugin, environment()['WORKFLOW_BUNDLES']);
  await stop();
  return buildIdOf(bundle);
}

/** Returns one line for each build that was left without workers. */
export const desertedLines = (buildIds: readonly string[]): string =>
  buildIds
    .map(
      (buildId) =>
        `${buildId} drains and no worker of it runs: what is open on it waits until one does\n`,
    )
    .join('');

/** The build is already current, whatever the server reports about the others. */
async function warnOf(deserted: Promise<readonly string[]>): Promise<void> {
  try {
    process.stderr.write(desertedLines(await deserted));
  } catch (error) {
    if (!(error instanceof VersionFault)) throw error;
    process.stderr.write(`builds without workers are not known: ${printable(error.message)}\n`);
  }
}

/**
 * Returns the builds that no worker polls for from now on. The server lists workers that ended just
 * now like running ones, so this waits until each had time for a new poll.
 */
async function desertedNow(deps: VersionDeps): Promise<readonly string[]> {
  const since = deps.clock();
  const endMs = since.getTime() + pollMsMax;
  for (;;) {
    const found = await listDeserted(deps, since);
    if (found.length === 0 || deps.clock().getTime() > endMs) return found;
    await sleep(ownWaitMs);
  }
}

/**
 * Retries for a while: the one-shot job of a deployment runs beside its workers, which may not poll
 * yet.
 */
async function onceItCan<T>(work: () => Promise<T>): Promise<T> {
  const endMs = Date.now() + ownWaitMsMax;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionFault) || Date.now() > endMs) throw error;
      await sleep(ownWaitMs);
    }
  }
}

/** Prints the result, or the reason of a failure as one line. */
async function withServer(
  dataDir: string,
  work: (deps: VersionDeps) => Promise<string>,
): Promise<number> {
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = environment();
  const here = await readState(dataDir, 'status');
  const address = TEMPORAL_ADDRESS || here?.temporal_address;
  const namespace = TEMPORAL_NAMESPACE || here?.temporal_namespace || 'default';
  if (!address) {
    throw new Error('no workflow server is known here: set TEMPORAL_ADDRESS, or run npm start');
  }
  const tls = temporalTlsOf(environment());
  const connection = Connection.lazy({
    address,
    connectTimeout: connectMsMax,
    ...(tls && { tls }),
  });
  try {
    await askTemporal(connection).catch((cause: unknown) => {
      throw new VersionFault('the workflow server does not answer', { cause });
    });
    const said = await work({ connection, namespace, clock: () => new Date() });
    if (said !== '') process.stdout.write(`${said}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof VersionFault)) throw error;
    process.stderr.write(`${printable(`${address}, namespace ${namespace}: ${error.message}`)}\n`);
    return 1;
  } finally {
    await connection.close();
  }
}
