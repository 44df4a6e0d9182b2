import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentUrls } from '../../cli/data-directory/database-urls.ts';
import { freePort } from '../../cli/platform/ports.ts';
import { sendSignal } from '../../cli/platform/processes.ts';
import { startService, type Service } from '../../cli/platform/services.ts';
import { startTemporal, type RunningTemporal } from '../../cli/platform/temporal.ts';
import { devTrustSettings } from '../../simulator/roots/dev-trust.ts';
import { endWithUs, removeWithUs } from '../support/platform/end-with-us.ts';
import { createDatabase, eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../support/platform/second-api.ts';

const { databaseUrl, dataDir, baseUrl } = ownPlatform();

let database: Awaited<ReturnType<typeof createDatabase>>;
let directory = '';
let port = 0;
let server: RunningTemporal;
let api: SecondApi;
let worker: Service;
let workerUrl = '';

/** Starts a workflow server at the address that both processes use. */
const startServer = (): Promise<RunningTemporal> =>
  startTemporal({
    logFile: join(directory, 'temporal.log'),
    dbFile: join(directory, 'temporal.db'),
    port,
    say: () => undefined,
    onSpawn: endWithUs,
  });

/** A worker on its own database: this server runs no workflow of another test. */
async function startWorker(): Promise<Service> {
  const workerPort = await freePort();
  workerUrl = `http://127.0.0.1:${workerPort}/readyz`;
  return startService({
    name: 'worker',
    settings: {
      PROFILE: 'development',
      DATABASE_URL: developmentUrls(database.url).worker,
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      BASE_URL: baseUrl,
      // The platform's log in the shared store does not belong to this database.
      LOG_ORIGIN: 'readiness.example/log',
      DATA_DIR: dataDir,
      WORKER_PORT: String(workerPort),
      ...(await devTrustSettings(dataDir)),
    },
    healthUrl: workerUrl,
    logFile: join(directory, 'worker.log'),
    onSpawn: endWithUs,
  });
}

/** Waits until a process reports this in its status and for the workflow server by name. */
const says = (url: string, isReady: boolean): Promise<unknown> =>
  eventually(`${url} ${isReady ? 'is ready' : 'is not ready'}`, async () => {
    const answer = await fetch(url);
    const { status, checks } = (await answer.json()) as { status: string; checks: object };
    expect([answer.status, status]).toEqual(
      Object.values(checks).every(Boolean) ? [200, 'ok'] : [503, 'failing'],
    );
    expect(checks).toMatchObject({ database: true });
    return 'temporal' in checks && checks.temporal === isReady;
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-readiness-'));
  removeWithUs(directory);
  [database, port] = await Promise.all([createDatabase(databaseUrl), freePort()]);
  api = await startSecondApi({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await server.stop();
  await database.drop();
});

describe('/readyz of the API and of the worker', () => {
  it('follows the workflow server through start, kill and restart', async () => {
    const apiUrl = `${api.origin}/readyz`;
    await says(apiUrl, false);
    server = await startServer();
    await says(apiUrl, true);
    worker = await startWorker();
    await says(workerUrl, true);
    const { checks } = (await (await fetch(workerUrl)).json()) as { checks: object };
    expect(checks).toMatchObject({ readers: true });
    sendSignal(server.pid ?? 0, 'SIGKILL');
    await server.ended;
    await Promise.all([says(apiUrl, false), says(workerUrl, false)]);
    server = await startServer();
    await Promise.all([says(apiUrl, true), says(workerUrl, true)]);
  }, 120_000);
});
