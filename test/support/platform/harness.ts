import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { masterSecretFile } from '../../../activities/keys/directory/key-files.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import { seed, type Seed } from '../../../cli/data-directory/seed.ts';
import { bundlesDirectory } from '../../../cli/platform/cache.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { startPostgres } from '../../../cli/platform/postgres.ts';
import { sendSignal } from '../../../cli/platform/processes.ts';
import { startService, type Service } from '../../../cli/platform/services.ts';
import { startTemporal } from '../../../cli/platform/temporal.ts';
import { openDb, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { migrate } from '../../../db/migrating/migrate.ts';
import { databaseRoles } from '../../../db/rights/roles.ts';
import { devTrustSettings, keepDevTrust } from '../../../simulator/roots/dev-trust.ts';
import { buildPages } from '../../../web/build.ts';
import { endWithUs, removeWithUs } from './end-with-us.ts';
import type { Part } from './parts.ts';

/** Facts about the running platform. Plain data, because it is passed to every test file. */
export interface PlatformFacts {
  readonly baseUrl: string;
  /** Connects as the superuser, so that a test can read everything. */
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly temporalMetricsUrl: string;
  /** The addresses at which Prometheus scrapes our processes. */
  readonly metricsUrls: readonly string[];
  readonly temporalUiUrl: string;
  readonly dataDir: string;
  readonly own: Seed;
  readonly foreign: Seed;
  /** True if processes are killed while the tests run. */
  readonly isDisturbed?: boolean;
}

export interface TestPlatform {
  readonly facts: PlatformFacts;
  readonly keys: PlatformKeys;
  /** Settings of a worker. */
  readonly settings: Readonly<Record<string, string>>;
  /** Returns these settings with the database role of a process. */
  settingsOf(name: 'api' | 'worker'): Readonly<Record<string, string>>;
  /** The processes at the start. */
  readonly worker: Service;
  readonly api: Service;
  startWorker(): Promise<Service>;
  startApi(): Promise<Service>;
  /**
   * Sends `kill -9` to the current processes of a part, including its forks. Resolves when they are
   * gone.
   */
  kill(part: Part): Promise<void>;
  /** Restarts a killed part with its data and its port. */
  restart(part: Part): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a complete platform: PostgreSQL, Temporal, keys, worker, API, two seeded accounts. */
export async function createPlatform(
  directory: string,
  say: (line: string) => void,
  extra: Readonly<Record<string, string>> = {},
  masterSecretHex?: string,
): Promise<TestPlatform> {
  await buildPages();
  await mkdir(join(directory, 'logs'), { recursive: true });
  const logFile = (name: string): string => join(directory, 'logs', `${name}.log`);
  const [free, metricsPort, workerPort] = await Promise.all([freePort(), freePort(), freePort()]);
  // A test with a proxy in front sets the proxy's address, and the port to which it forwards.
  const port = Number(extra['PORT'] ?? free);
  const apiUrl = `http://127.0.0.1:${port}`;
  const baseUrl = extra['BASE_URL'] ?? apiUrl;
  const codecEndpoint = `${baseUrl}/codec`;
  const place = {
    dataDir: join(directory, 'postgres'),
    logFile: logFile('postgres'),
    isThrowaway: true,
    onSpawn: endWithUs,
  };
  removeWithUs(directory);
  const servers = [
    startPostgres(place),
    startTemporal({ logFile: logFile('temporal'), codecEndpoint, say, onSpawn: endWithUs }),
  ] as const;
  await Promise.allSettled(servers);
  const [postgres, temporal] = await Promise.all(servers).catch(async (error: unknown) => {
    await Promise.allSettled(servers.map(async (server) => (await server).stop()));
    throw error;
  });
  await migrate(postgres.urls.owner);
  await createDevPki(join(directory, 'keys'), { now: new Date(), baseUrl });
  await keepDevTrust(directory, new Date());
  if (masterSecretHex) await writeFile(join(directory, 'keys', masterSecretFile), masterSecretHex);
  const keys = loadKeys(join(directory, 'keys'));
  const settings = {
    PROFILE: 'development',
    LOG_LEVEL: 'info',
    DATABASE_URL: postgres.urls.worker,
    TEMPORAL_ADDRESS: temporal.address,
    ...(temporal.uiUrl ? { TEMPORAL_UI_URL: temporal.uiUrl } : {}),
    BASE_URL: baseUrl,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    WORKER_PORT: String(workerPort),
    DATA_DIR: directory,
    WORKFLOW_BUNDLES: bundlesDirectory(),
    ...(await devTrustSettings(directory)),
    ...extra,
  };
  const settingsOf = (name: 'api' | 'worker') => ({
    ...settings,
    DATABASE_URL: postgres.urls[name],
  });
  const services = new Set<Service>();
  /** The running parts by name. */
  const running: Partial<Record<Part, { pid: number; ended: Promise<void> }>> = { postgres };
  const serve = async (name: 'api' | 'worker', healthUrl: string): Promise<Service> => {
    const service = await startService({
      name,
      settings: settingsOf(name),
      healthUrl,
      logFile: logFile(name),
      onSpawn: endWithUs,
    });
    services.add(service);
    running[name] = { pid: service.child.pid ?? 0, ended: service.ended };
    return service;
  };
  const startWorker = () => serve('worker', `http://127.0.0.1:${workerPort}/readyz`);
  const startApi = () => serve('api', `${apiUrl}/readyz`);
  const kill = async (part: Part): Promise<void> => {
    const { pid, ended } = running[part] ?? {};
    if (!pid) throw new Error(`${part} does not run`);
    for (const each of [pid, ...childrenOf(pid)]) sendSignal(each, 'SIGKILL');
    await ended;
  };
  let database = postgres;
  const restart = async (part: Part): Promise<void> => {
    if (part === 'api') await startApi();
    if (part === 'worker') await startWorker();
    if (part !== 'postgres') return;
    database = await startPostgres({ ...place, port: Number(new URL(postgres.url).port) });
    running.postgres = database;
  };
  const stop = async (): Promise<void> => {
    await Promise.allSettled([...services].map(async (service) => service.stop()));
    await Promise.allSettled([temporal.stop(), database.stop()]);
  };
  const starting = [startWorker(), startApi()] as const;
  // Waits for both, so that neither is still starting when the other fails.
  await Promise.allSettled(starting);
  const [worker, api] = await Promise.all(starting).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const db = openTestDb(postgres.url);
  const deps = { db, keys, ids: randomIds, baseUrl };
  const own = await seed(deps, 'example-app', new Date());
  const foreign = await seed(deps, 'foreign-app', new Date());
  await db.end();
  const facts = {
    baseUrl,
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    temporalMetricsUrl: temporal.metricsUrl ?? '',
    metricsUrls: [metricsPort, workerPort].map((at) => `http://127.0.0.1:${at}/metrics`),
    temporalUiUrl: temporal.uiUrl ?? '',
    dataDir: directory,
    own,
    foreign,
  };
  return {
    facts,
    keys,
    settings,
    settingsOf,
    worker,
    api,
    startWorker,
    startApi,
    kill,
    restart,
    stop,
  };
}

/**
 * Returns child processes. PostgreSQL's processes have their own sessions, so no process group
 * contains them all.
 */
function childrenOf(parent: number): number[] {
  if (process.platform === 'linux') {
    const list = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  }
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = table.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

export function openTestDb(url: string): Db {
  const options = { url, connectionsMax: 4, applicationName: 'trustcheck-test' };
  // Generous, because some queries scan every table, beside other work on two cores.
  return openDb({ ...options, queryTimeoutMs: 60_000, connectMsMax: 30_000 }, () => undefined);
}

/** A migrated template database per server. A copy costs a third of a migration. */
const templates = new Map<string, Promise<string>>();

async function createTemplate(serverUrl: string): Promise<string> {
  const name = `template_${randomIds.bytes(6).toString('hex')}`;
  await administer(serverUrl, `CREATE DATABASE ${name} OWNER ${databaseRoles.owner}`);
  await migrate(developmentUrls(databaseAt(serverUrl, name)).owner);
  return name;
}

/**
 * Copies a database. The copy has the privileges of all objects, but not those of the database
 * itself.
 */
async function copyDatabase(serverUrl: string, template: string, name: string): Promise<void> {
  const { owner, api, worker } = databaseRoles;
  await administer(serverUrl, `CREATE DATABASE ${name} OWNER ${owner} TEMPLATE ${template}`);
  await administer(
    serverUrl,
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO ${api}, ${worker}`,
  );
}

async function administer(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const databaseAt = (serverUrl: string, name: string): string =>
  serverUrl.replace(/\/[^/]+$/, `/${name}`);

/**
 * Creates a migrated, empty database on the platform's server, or a copy of a prepared template.
 */
export async function createDatabase(
  serverUrl: string,
): Promise<{ db: Db; url: string; drop: () => Promise<void> }> {
  const name = `test_${randomIds.bytes(6).toString('hex')}`;
  const url = databaseAt(serverUrl, name);
  const template = templates.get(serverUrl) ?? createTemplate(serverUrl);
  templates.set(serverUrl, template);
  await copyDatabase(serverUrl, await template, name);
  const db = openTestDb(url);
  const drop = async (): Promise<void> => {
    await db.end();
    await administer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { db, url, drop };
}

/** Waits until a condition holds. The error names the one that did not. */
export async function eventually<T>(
  what: string,
  test: () => Promise<T | null | undefined | false>,
  msMax = 40_000,
): Promise<T> {
  const deadline = Date.now() + msMax;
  for (;;) {
    const found = await test();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
