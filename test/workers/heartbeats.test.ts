import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cancellationSignal } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTracing } from '../../activities/runtime/tracing.ts';
import { postToVendor } from '../../activities/vendors/post-to-vendor.ts';
import { bundlesDirectory } from '../../cli/platform/cache.ts';
import { prepareNamespace } from '../../cli/temporal/namespace.ts';
import { randomIds } from '../../db/ids.ts';
import { bundleWorkflows } from '../../workers/bundle.ts';
import { interceptors } from '../../workers/interceptors.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { endWithUs } from '../support/platform/end-with-us.ts';
import { eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { startSilentServer } from '../support/stand-ins/silent-server.ts';

const { TIMEOUT_TYPE_HEARTBEAT } = proto.temporal.api.enums.v1.TimeoutType;
const { temporalAddress } = ownPlatform();
const program = fileURLToPath(new URL('endless-worker.ts', import.meta.url));
/** Only of this file, so that no worker of the platform takes its activities. */
const namespace = `heartbeats-${randomIds.bytes(6).toString('hex')}`;
/** The SDK's own interval between two heartbeats: 0.8 of the timeout. */
const throttledMs = 8_000;
/** Longer than the timeout of the activity: only a cancellation ends its request. */
const vendorMsMax = 600_000;
const tracing = await createTracing('trustcheck-test', undefined);
let environment: TestWorkflowEnvironment;
let workflows: Worker;
let running: Promise<void>;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  await prepareNamespace({ address: temporalAddress, namespace });
  const place = { address: temporalAddress, namespace };
  environment = await TestWorkflowEnvironment.createFromExistingServer(place);
  workflows = await createWorker(taskQueues.core, {
    workflowBundle: await bundleWorkflows(tracing.plugin, bundlesDirectory()),
    plugins: [tracing.plugin],
  });
  running = workflows.run();
});
afterAll(async () => {
  workflows.shutdown();
  await running;
  await Promise.all([environment.teardown(), tracing.stop()]);
});

const createWorker = (taskQueue: string, options: Partial<WorkerOptions>): Promise<Worker> =>
  Worker.create({ connection: environment.nativeConnection, namespace, taskQueue, ...options });
const sealing = (issueAffidavit: () => Promise<unknown>, options: Partial<WorkerOptions> = {}) =>
  createWorker(taskQueues.crypto, { activities: { issueAffidavit }, interceptors, ...options });
const issued = { affidavit_id: 'aff', sha256: '0'.repeat(64), pades_level: 'PAdES-B-LTA' };

function startAffidavit(): Promise<WorkflowHandle> {
  const ids = { affidavit_id: randomIds.make('aff'), link_session_id: randomIds.make('tc') };
  return environment.client.workflow.start('issueAffidavit', {
    workflowId: `affidavit/${ids.affidavit_id}`,
    taskQueue: taskQueues.core,
    args: [ids],
  });
}

/** Why the first attempt at the activity failed, as the server reports it to the second one. */
async function firstFailureOf(handle: WorkflowHandle) {
  const { events } = await handle.fetchHistory();
  const started = events?.find((event) => event.activityTaskStartedEventAttributes);
  const { attempt, lastFailure } = started?.activityTaskStartedEventAttributes ?? {};
  expect(attempt).toBe(2);
  return lastFailure;
}

it('an activity sends heartbeats, and another worker takes it over when its worker is killed', async () => {
  const child = spawn(process.execPath, [program, temporalAddress, namespace], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs('worker', child.pid ?? 0);
  const exit = once(child, 'exit');
  const handle = await startAffidavit();
  await once(child.stdout, 'data');
  const beatsMs = new Set<number>();
  const pending = await eventually('three heartbeats', async () => {
    const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
    if (activity?.lastHeartbeatTime) beatsMs.add(tsToMs(activity.lastHeartbeatTime));
    return beatsMs.size === 3 && activity;
  });
  const [first = 0, second = 0, third = 0] = beatsMs;
  expect(Math.min(second - first, third - second)).toBeLessThan(throttledMs);
  const [details] = pending.heartbeatDetails?.payloads ?? [];
  expect(details && defaultPayloadConverter.fromPayload(details)).toEqual({ lost_threads: 0 });
  child.kill('SIGKILL');
  await exit;
  const other = await sealing(async () => issued);
  expect(await other.runUntil(handle.result())).toEqual(issued);
  // The start-to-close timeout would end it later, and with another type.
  const failure = await firstFailureOf(handle);
  expect(failure?.timeoutFailureInfo?.timeoutType).toBe(TIMEOUT_TYPE_HEARTBEAT);
});

it('a canceled workflow closes the request of its activity', async () => {
  const silent = await startSilentServer();
  const reasons: string[] = [];
  const worker = await sealing(async () => {
    try {
      return await postToVendor('vendor', silent.url, vendorMsMax, {});
    } finally {
      reasons.push(cancellationSignal().reason.message);
    }
  });
  await worker.runUntil(async () => {
    const handle = await startAffidavit();
    await silent.connected;
    await handle.cancel();
    const failure: unknown = await handle.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expect(Object(failure).cause).toBeInstanceOf(CancelledFailure);
    await silent.closed;
  });
  // The workflow ends with the cancellation request, so the next heartbeat gets NOT_FOUND.
  expect(reasons).toEqual(['NOT_FOUND']);
  await silent.stop();
});

it('an activity moves to another worker when its worker shuts down', async () => {
  const silent = await startSilentServer();
  const first = await sealing(() => postToVendor('vendor', silent.url, vendorMsMax, {}), {
    shutdownGraceTime: '100ms',
  });
  const ended = first.run();
  const handle = await startAffidavit();
  await silent.connected;
  first.shutdown();
  await Promise.all([ended, silent.closed]);
  const second = await sealing(async () => issued);
  expect(await second.runUntil(handle.result())).toEqual(issued);
  const failure = await firstFailureOf(handle);
  expect(failure?.applicationFailureInfo?.type).toBe('WorkerShutdown');
  await silent.stop();
});
