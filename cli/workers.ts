import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { askTemporal } from '../activities/readiness.ts';
import { buildIdForm, buildIdOf } from '../workers/deployment.ts';
import {
  listVersions,
  setCurrent,
  setRamp,
  VersionFault,
  type VersionDeps,
  type WorkerVersion,
} from '../workers/versions.ts';
import { environment } from './environment.ts';
import { printable } from './printable.ts';
import { readState } from './state.ts';

const ownWaitMsMax = 60_000;
const ownWaitMs = 1_000;
const connectMsMax = 5_000;
const rampForm = /^[1-9]\d?$/;

/** Prints the builds of the workers, newest first, a line each: 0, or 1 with why not. */
export function printVersions(dataDir: string, isJson: boolean): Promise<number> {
  return withServer(dataDir, async (deps) => {
    const versions = await listVersions(deps);
    return isJson ? JSON.stringify(versions) : versions.map(lineOf).join('\n');
  });
}

/**
 * Makes a build of the workers current, this installation's where none is named, or gives it a
 * share of what is new: 0 done, 1 with one line that says why not, 2 for what is not asked so.
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
    if (options.buildId !== undefined) return route(deps, options.buildId, options.ramp);
    const buildId = await ownBuild();
    return onceItCan(() => route(deps, buildId, options.ramp));
  });
}

/** What is wrong with the words of `set-current`, as one line; null where nothing is. */
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
  // A second's loading, which nothing else of it needs.
  const { createTracing } = await import('../activities/tracing.ts');
  const { bundleWorkflows } = await import('../workers/bundle.ts');
  const { plugin, stop } = await createTracing('trustcheck-cli', undefined);
  const bundle = await bundleWorkflows(plugin, environment()['WORKFLOW_BUNDLES']);
  await stop();
  return buildIdOf(bundle);
}

/** The one-shot job of a deployment runs beside its workers, which may not ask for work yet. */
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

/** Prints what came of it, and why nothing did as one line. */
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
  const connection = Connection.lazy({ address, connectTimeout: connectMsMax });
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
