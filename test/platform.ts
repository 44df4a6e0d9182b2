import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { clusterForRoot, startPostgres } from '../cli/platform/postgres.ts';
import { startTemporal } from '../cli/platform/temporal.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
    temporalAddress: string;
    temporalMetricsUrl: string;
  }
}

/** Starts what the tests run on, once for all files: a real PostgreSQL and a real Temporal server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TRUSTCHECK_TEST_DATABASE_URL: databaseUrl, TRUSTCHECK_TEST_TEMPORAL_ADDRESS: address } =
    process.env;
  if (databaseUrl && address) {
    project.provide('databaseUrl', databaseUrl);
    project.provide('temporalAddress', address);
    project.provide('temporalMetricsUrl', process.env['TRUSTCHECK_TEST_TEMPORAL_METRICS'] ?? '');
    return async () => undefined;
  }
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-test-'));
  const dataDir = join(directory, 'postgres');
  const [postgres, temporal] = await Promise.all([
    startPostgres({ dataDir, logFile: join(directory, 'postgres.log'), isThrowaway: true }),
    startTemporal({
      logFile: join(directory, 'temporal.log'),
      say: (line) => process.stderr.write(`${line}\n`),
    }),
  ]);
  project.provide('databaseUrl', postgres.url);
  project.provide('temporalAddress', temporal.address);
  project.provide('temporalMetricsUrl', temporal.metricsUrl ?? '');
  return async () => {
    await Promise.all([postgres.stop(), temporal.stop()]);
    await rm(directory, { recursive: true, force: true });
    await rm(clusterForRoot(dataDir), { recursive: true, force: true });
  };
}
