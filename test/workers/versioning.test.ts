import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeys } from '../../activities/keys/directory/load-keys.ts';
import { createDataConverter } from '../../activities/runtime/codec/data-converter.ts';
import { createTracing } from '../../activities/runtime/tracing.ts';
import { developmentUrls } from '../../cli/data-directory/database-urls.ts';
import { bundlesDirectory } from '../../cli/platform/cache.ts';
import { freePort } from '../../cli/platform/ports.ts';
import { startService, type Service } from '../../cli/platform/services.ts';
import { prepareNamespace } from '../../cli/temporal/namespace.ts';
import { randomIds } from '../../db/ids.ts';
import { createKeyRing } from '../../db/sealing/key-ring.ts';
import { devTrustSettings } from '../../simulator/roots/dev-trust.ts';
import { bundleWorkflows } from '../../workers/bundle.ts';
import { buildIdOf, deploymentName } from '../../workers/deployment.ts';
import {
  listDeserted,
  listVersions,
  setCurrent,
  setRamp,
  type VersionDeps,
} from '../../workers/versions.ts';
import { changedSignal } from '../../workflows/calendar-connection/messages.ts';
import { completeUpdate } from '../../workflows/calendar-oauth/messages.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { commandHere } from '../support/commands/command-here.ts';
import { endWithUs, removeWithUs } from '../support/platform/end-with-us.ts';
import { createDatabase, eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { databaseUrl, dataDir, baseUrl, temporalAddress } = ownPlatform();
const namespace = `versioning-${randomIds.bytes(6).toString('hex')}`;
const master = loadKeys(`${dataDir}/keys`).secret('temporal-codec');
const next = Buffer.alloc(32, 2);
const nextKey = `k2:${next.toString('base64')}`;

let database: Awaited<ReturnType<typeof createDatabase>>;
let directory = '';
let connection: Connection;
const running = new Set<Service>();
const builds = { a: '', b: '' };
const folders = { a: bundlesDirectory(), b: '' };

/** Starts a worker of a build on its own database: no other test uses this namespace. */
async function startWorker(
  build: 'a' | 'b',
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const port = await freePort();
  const worker = await startService({
    name: 'worker',
    settings: {
      PROFILE: 'development',
      WORKER_VERSIONING: 'on',
      DATABASE_URL: developmentUrls(database.url).worker,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: namespace,
      BASE_URL: baseUrl,
      DATA_DIR: dataDir,
      WORKER_PORT: String(port),
      WORKFLOW_BUNDLES: folders[build],
      // Its database has no entries of the platform's log in the shared store.
      LOG_ORIGIN: 'versioning.example/log',
      ...(await devTrustSettings(dataDir)),
      ...settings,
    },
    healthUrl: `http://127.0.0.1:${port}/readyz`,
    logFile: join(directory, `worker-${build}-${port}.log`),
    onSpawn: endWithUs,
  });
  running.add(worker);
  const deploymentVersion = { deploymentName, buildId: builds[build] };
  await eventually('the server knows what the build works at', async () => {
    const found = await connection.workflowService
      .describeWorkerDeploymentVersion({ namespace, deploymentVersion })
      .catch(() => null);
    const queues = found?.workerDeploymentVersionInfo?.taskQueueInfos?.map(({ name }) => name);
    // A build that replaces another must first serve the same task queues.
    const expected = build === 'a' ? [taskQueues.core] : Object.values(taskQueues);
    return expected.every((name) => queues?.includes(name));
  });
  return worker;
}

/** The workflows as they are, and those of another build: one text of the Temporal UI differs. */
async function prepareBuilds(): Promise<void> {
  const { plugin, stop } = await createTracing('trustcheck-test', undefined);
  const bundle = await bundleWorkflows(plugin, folders.a);
  await stop();
  const code = 'code' in bundle ? bundle.code : '';
  folders.b = directory;
  const changed = code.replace('The browser has come back.', 'The browser is back.');
  builds.a = buildIdOf(bundle);
  builds.b = buildIdOf({ code: changed });
  for (const name of await readdir(folders.a)) {
    const kept = await readFile(join(folders.a, name), 'utf8').catch(() => '');
    if (kept === code) await writeFile(join(folders.b, name), changed);
  }
}

const clientOf = (...keys: readonly [string, Uint8Array][]): Client =>
  new Client({
    connection,
    namespace,
    dataConverter: createDataConverter({
      ring: createKeyRing(
        keys.map(([id, key]) => ({ id, key })),
        'codec',
      ),
      namespace,
      failClosed: true,
    }),
  });

/** The exit code and output of `trustcheck workers …`. */
async function command(...words: readonly string[]) {
  const env = {
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    WORKFLOW_BUNDLES: folders.a,
  };
  return commandHere(directory, ['workers', ...words], env);
}
const done = (line: string) => ({ code: 0, stdout: `${line}\n`, stderr: '' });
/** The workflow server, seen at a later time. */
const server = (laterMs = 0): VersionDeps => ({
  connection,
  namespace,
  clock: () => new Date(Date.now() + laterMs),
});
const version = (build_id: string, seen: object) => ({
  build_id,
  ramp_percent: null,
  drainage_checked_at: null,
  pollers: 1,
  ...seen,
});

/** The builds that completed the tasks of a workflow, in order. */
async function buildsOf(client: Client, workflowId: string): Promise<string[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap((event) => {
    const { deploymentVersion } = event.workflowTaskCompletedEventAttributes ?? {};
    return deploymentVersion?.buildId ?? [];
  });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-versioning-'));
  removeWithUs(directory);
  connection = await Connection.connect({ address: temporalAddress });
  [database] = await Promise.all([
    createDatabase(databaseUrl),
    prepareNamespace({ address: temporalAddress, namespace }),
    prepareBuilds(),
  ]);
});
afterAll(async () => {
  await Promise.all([...running].map((worker) => worker.stop()));
  await connection.close();
  await database.drop();
});

const flow = (client: Client, flow_id: string) =>
  client.workflow.start('calendarOAuth', {
    workflowId: flow_id,
    taskQueue: 'core',
    args: [{ flow_id, windowMs: 3600_000 }],
  });
const denied = { answer: 'denied', reason: 'consent_denied' } as const;
const ended = { status: 'denied', reason: 'consent_denied' };

/** Why a task of a workflow failed; null while none has. */
async function faultOf(client: Client, workflowId: string) {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const failed = events?.find((event) => event.workflowTaskFailedEventAttributes);
  const { identity, failure } = failed?.workflowTaskFailedEventAttributes ?? {};
  if (!failure?.encodedAttributes) return null;
  const [codec] = client.options.loadedDataConverter.payloadCodecs;
  const [payload] = (await codec?.decode([failure.encodedAttributes])) ?? [];
  const { message } = JSON.parse(Buffer.from(payload?.data ?? []).toString()) as object & {
    message: string;
  };
  return { pid: Number(identity?.split('@')[0]), message };
}

let first: Service;
let second: Service;
const before = (): Client => clientOf(['k1', master]);

describe('workers of two builds', () => {
  it('get no work until their build is made current', async () => {
    first = await startWorker('a');
    await flow(before(), 'pinned');
    await before().workflow.start('calendarConnection', {
      workflowId: 'lasting',
      taskQueue: 'core',
      args: [
        {
          connection_id: 'cc_lasting',
          refreshMs: 3600_000,
          stepsMax: 200,
          known: { status: 'connected', version: 1 },
        },
      ],
    });
    expect(await command('versions')).toEqual(done(`${builds.a} inactive, 1 worker`));
    expect(await buildsOf(before(), 'pinned')).toEqual([]);
    await expect(setRamp(server(), builds.a, 10)).rejects.toThrow(
      'no build is current: make one current before another ramps',
    );
    expect(await command('set-current')).toEqual(done(`${builds.a} is current`));
    for (const id of ['pinned', 'lasting']) {
      await eventually(`${id} is begun on the first build`, async () => {
        return (await buildsOf(before(), id)).join() === builds.a;
      });
    }
  });

  it('share new workflows while one build ramps', async () => {
    // The second build knows only the new key.
    second = await startWorker('b', { CODEC_KEY: nextKey });
    expect(await command('set-current', '--ramp', '10', '--build-id', builds.b)).toEqual(
      done(`${builds.b} gets 10 % of what is new`),
    );
    const listed = await command('versions', '--json');
    expect(JSON.parse(listed.stdout)).toEqual([
      version(builds.b, { status: 'ramping', ramp_percent: 10 }),
      version(builds.a, { status: 'current' }),
    ]);
    await expect(setRamp(server(), builds.a, 10)).rejects.toThrow(
      'this build is current: it gets all already',
    );
    expect(await command('set-current', '--build-id', builds.a)).toEqual(
      done(`${builds.a} is current`),
    );
    expect(await listVersions(server())).toMatchObject([
      { build_id: builds.b, status: 'draining', ramp_percent: null },
      { build_id: builds.a, status: 'current' },
    ]);
  });

  it('finish their own workflows; new and long-running ones move to the current build', async () => {
    await expect(setCurrent(server(600_000), builds.b)).rejects.toThrow(
      `no worker of build ${builds.b} runs now`,
    );
    await setCurrent(server(), builds.b);
    // The first build drains. It counts as deserted after two minutes without its workers.
    expect(await listDeserted(server())).toEqual([]);
    expect(await listDeserted(server(600_000))).toEqual([builds.a]);
    await first.stop();
    running.delete(first);
    expect(await listDeserted(server(), new Date())).toEqual([builds.a]);
    const pinned = before().workflow.getHandle('pinned');
    // Its answer is sealed with a key that its caller does not know yet.
    const late = expect(pinned.executeUpdate(completeUpdate, { args: [denied] })).rejects.toThrow(
      'under key k2, which the ring does not have',
    );
    const after = clientOf(['k2', next]);
    const fresh = await flow(after, 'fresh');
    await fresh.executeUpdate(completeUpdate, { args: [denied] });
    expect(await fresh.result()).toEqual(ended);
    expect(new Set(await buildsOf(after, 'fresh'))).toEqual(new Set([builds.b]));

    await before().workflow.getHandle('lasting').signal(changedSignal);
    expect(await eventually('the other build tries', () => faultOf(after, 'lasting'))).toEqual({
      pid: second.child.pid,
      message: 'a payload is encrypted under key k1, which the ring does not have',
    });
    for (const id of ['pinned', 'lasting']) {
      const { status } = await after.workflow.getHandle(id).describe();
      expect([id, status.name]).toEqual([id, 'RUNNING']);
      expect(await buildsOf(before(), id)).toEqual([builds.a]);
    }

    await startWorker('a', { CODEC_KEY: nextKey, CODEC_KEYS_RETIRED: 'k1:master' });
    const both = clientOf(['k2', next], ['k1', master]);
    expect(await both.workflow.getHandle('pinned').result()).toEqual(ended);
    expect(new Set(await buildsOf(both, 'pinned'))).toEqual(new Set([builds.a]));
    await late;
  });
});
