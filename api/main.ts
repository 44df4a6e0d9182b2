import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { enterPlatformCertificates } from '../activities/keys/certificates/enter-platform-certificates.ts';
import { keyPlaceOf } from '../activities/keys/config.ts';
import { heldKeys } from '../activities/keys/directory/held-keys.ts';
import { refuseDevelopment } from '../activities/keys/directory/production-faults.ts';
import { answerMetrics } from '../activities/runtime/answer-metrics.ts';
import { loadDevTrust } from '../activities/runtime/config.ts';
import { createLogger } from '../activities/runtime/log.ts';
import { withCauses } from '../activities/runtime/with-causes.ts';
import { requireMigrated } from '../db/migrating/migrate.ts';
import { createApp } from './app.ts';
import { readApiConfig } from './config.ts';
import { builtPages } from './http/html/built.ts';
import { createApiServer } from './http/server/create-server.ts';
import { makeDeps } from './make-deps.ts';
import { createRealtime } from './realtime/server.ts';

const drainMsMax = 10_000;

/** Runs the HTTP process: configuration, dependencies, listening, and an orderly shutdown. */
async function main(): Promise<void> {
  const config = readApiConfig();
  loadDevTrust(config, config.PROFILE);
  builtPages();
  const log = createLogger('api', config.LOG_LEVEL);
  await requireMigrated(config.DATABASE_URL);
  const { deps, drain, stop } = await makeDeps(config);
  await refuseDevelopment(config, { ...keyPlaceOf(config), holds: heldKeys.api }, deps.db);
  await enterPlatformCertificates(deps.db, deps.keys);
  const server = createApiServer(createApp(deps, config.TRUSTED_PROXIES));
  const realtime = createRealtime(server, deps, config.DATABASE_URL);
  const { registry } = deps.telemetry.metrics;
  const metrics = createServer((request, response) => answerMetrics(registry, request, response));
  await listen(metrics, config.METRICS_PORT, config.METRICS_HOST);
  const everywhere = config.PROFILE === 'production' ? '0.0.0.0' : '127.0.0.1';
  await listen(server, config.PORT, config.HOST ?? everywhere);
  log.info({ port: (server.address() as AddressInfo).port }, 'listening');
  const end = async (signal: string): Promise<void> => {
    log.info({ signal }, 'stopping');
    drain();
    await sleep(config.DRAIN_SECONDS * 1000);
    setTimeout(() => process.exit(1), drainMsMax).unref();
    await realtime.stop();
    await new Promise((resolve) => server.close(resolve));
    await new Promise((resolve) => metrics.close(resolve));
    await stop();
  };
  process.once('SIGTERM', (signal) => void end(signal));
  process.once('SIGINT', (signal) => void end(signal));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

await main().catch((error: unknown) => {
  process.stderr.write(`${withCauses(error)}\n`);
  // Open connections would keep alive a process that failed to start.
  process.exit(1);
});
