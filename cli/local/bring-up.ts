import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Listr, PRESET_TIMER, type ListrTask } from 'listr2';
import { apiConfig } from '../../api/config.ts';
import { openDb } from '../../db/client.ts';
import { randomIds } from '../../db/ids.ts';
import type { DatabaseUrls } from '../../db/migrating/create-database.ts';
import { migrate } from '../../db/migrating/migrate.ts';
import {
  devTrustSettings,
  keepDevListsFresh,
  keepDevTrust,
} from '../../simulator/roots/dev-trust.ts';
import { workerConfig } from '../../workers/config.ts';
import { reasonOf } from '../command-line/reason.ts';
import { createDevelopmentDatabase } from '../data-directory/database-urls.ts';
import { loadLocalKeys, prepareKeys } from '../data-directory/keys.ts';
import { renewSeed } from '../data-directory/renew-seed.ts';
import type { Seed } from '../data-directory/seed.ts';
import { writeState, type LastCheck, type Ports } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { boundCompiled, bundlesDirectory, hasCache } from '../platform/cache.ts';
import { portVariables } from '../platform/ports.ts';
import { awaitPostgres, startPostgres } from '../platform/postgres.ts';
import { startService } from '../platform/services.ts';
import { keepUp } from '../platform/supervise.ts';
import { startTemporal, type RunningTemporal } from '../platform/temporal.ts';
import { checkObjects } from './objects.ts';
import { findTryLink } from './try-link.ts';

/** A start in progress: its input, and the results of its steps. */
export interface Platform {
  readonly dataDir: string;
  readonly ports: Ports;
  readonly baseUrl: string;
  readonly codecToken: string;
  /** Aborted when the platform is to end. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Called when a part has ended and cannot be restarted. */
  readonly onBroken: (error: unknown) => void;
  /** The first failed step, and its error. */
  failure: { readonly step: string; readonly error: unknown } | null;
  /** Set by the step that starts PostgreSQL. */
  database: DatabaseUrls | null;
  temporal: RunningTemporal | null;
  seed: Seed | null;
  lastCheck: LastCheck | null;
  /** Link for trying a check in a browser. */
  tryLink: string | null;
}

type Say = (line: string) => void;
interface Step {
  readonly title: string;
  readonly run: (platform: Platform, say: Say) => Promise<unknown>;
  readonly isSkipped?: boolean;
}

/** Starts every part in order, shows the time of each, and runs one check with the phone. */
export async function bringUp(platform: Platform, options: { check: boolean }): Promise<void> {
  const list = new Listr<Platform>(
    [
      together('servers', [
        { title: 'PostgreSQL', run: database },
        { title: 'Temporal', run: workflowServer },
        { title: 'object store', run: checkObjects },
        { title: 'keys', run: keys },
        { title: 'pages', run: pages },
      ]),
      together('processes', [
        { title: 'worker', run: worker },
        { title: 'API', run: api },
        { title: 'account, app, people, API key', run: seeding },
      ]),
      task({ title: 'a link for your browser', run: tryLink }),
      task({
        title: 'one trust check, by the phone simulator',
        run: check,
        isSkipped: !options.check,
      }),
    ],
    {
      fallbackRenderer: 'simple',
      // Listr's own signal handlers would end the process and leave everything running.
      registerSignalListeners: false,
      rendererOptions: { timer: PRESET_TIMER, collapseSubtasks: false },
      fallbackRendererOptions: { timer: PRESET_TIMER },
    },
  );
  // Runs beside the start. The removed code only takes longer to load the next time.
  void boundCompiled();
  await list.run(platform);
}

function together(title: string, steps: readonly Step[]): ListrTask<Platform> {
  return { title, task: (_, own) => own.newListr(steps.map(task), { concurrent: true }) };
}

function task({ title, run, isSkipped = false }: Step): ListrTask<Platform> {
  return {
    title,
    enabled: !isSkipped,
    task: async (platform, own) => {
      try {
        await run(platform, (line) => {
          own.output = line;
        });
      } catch (error) {
        // An interrupted step has not failed, so its promise never settles.
        if (platform.signal.aborted) await new Promise(() => undefined);
        platform.failure ??= { step: title, error };
        throw new Error(reasonOf(error).split('\n')[0], { cause: error });
      }
    },
    rendererOptions: { persistentOutput: true },
  };
}

function logFile({ dataDir }: Platform, name: string): string {
  return join(dataDir, 'logs', `${name}.log`);
}

async function database(platform: Platform, say: Say): Promise<void> {
  const given = environment()['DATABASE_ADMIN_URL'];
  if (given) await awaitPostgres(given);
  const { dataDir, ports, signal } = platform;
  const launch = () =>
    startPostgres({
      dataDir: join(dataDir, 'postgres'),
      logFile: logFile(platform, 'postgres'),
      port: ports.postgres,
      signal,
    });
  const urls = given
    ? await createDevelopmentDatabase(given)
    : (await keepUp({ ...platform, name: 'PostgreSQL', launch })).urls;
  await migrate(urls.owner, say);
  platform.database = urls;
}

async function workflowServer(platform: Platform, say: Say): Promise<void> {
  const { dataDir, ports, signal, baseUrl } = platform;
  const launch = () =>
    startTemporal({
      logFile: logFile(platform, 'temporal'),
      dbFile: join(dataDir, 'temporal.db'),
      port: ports.temporal,
      uiPort: ports.temporalUi,
      codecEndpoint: `${baseUrl}/codec`,
      say,
      signal,
    });
  platform.temporal = await keepUp({ ...platform, name: 'Temporal', launch });
}

async function keys({ dataDir, baseUrl, signal, say }: Platform): Promise<void> {
  const now = new Date();
  await prepareKeys(dataDir, baseUrl, now);
  await keepDevTrust(dataDir, now);
  const onFault = (error: unknown): void => say(`dev-trust: ${reasonOf(error)}`);
  keepDevListsFresh(dataDir, { clock: () => new Date(), signal, onFault });
}

/** Builds the browser code if its sources have changed. */
async function pages({ signal }: Platform): Promise<void> {
  const program = fileURLToPath(new URL('../../web/build.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [program], { signal });
}

async function worker(platform: Platform): Promise<void> {
  await serve(platform, 'worker', platform.ports.worker);
}

async function api(platform: Platform): Promise<void> {
  await serve(platform, 'api', platform.ports.api);
}

async function serve(platform: Platform, name: 'api' | 'worker', port: number): Promise<void> {
  const settings = await settingsOf(platform, name);
  const launch = () =>
    startService({
      name,
      settings,
      healthUrl: `http://127.0.0.1:${port}/readyz`,
      logFile: logFile(platform, name),
      signal: platform.signal,
    });
  await keepUp({ ...platform, name: `the ${name === 'api' ? 'API' : name}`, launch });
}

async function settingsOf(
  platform: Platform,
  name: 'api' | 'worker',
): Promise<Record<string, string>> {
  const { ports, dataDir, temporal, baseUrl, database } = platform;
  return {
    PROFILE: 'development',
    DATABASE_URL: database?.[name] ?? '',
    TEMPORAL_ADDRESS: temporal?.address ?? '',
    TEMPORAL_NAMESPACE: temporal?.namespace ?? '',
    BASE_URL: baseUrl,
    PORT: `${ports.api}`,
    METRICS_PORT: `${ports.metrics}`,
    WORKER_PORT: `${ports.worker}`,
    DATA_DIR: dataDir,
    ...(hasCache() ? { WORKFLOW_BUNDLES: bundlesDirectory() } : {}),
    CODEC_OPERATOR_TOKEN: platform.codecToken,
    ...(temporal?.uiUrl ? { TEMPORAL_UI_URL: temporal.uiUrl } : {}),
    ...(await devTrustSettings(dataDir)),
    ...passedOn(),
  };
}

async function seeding(platform: Platform): Promise<void> {
  const { dataDir, database, baseUrl } = platform;
  const db = openDb(
    { url: database?.owner ?? '', connectionsMax: 1, applicationName: 'trustcheck-start' },
    () => undefined,
  );
  const deps = { db, keys: loadLocalKeys(dataDir), ids: randomIds, baseUrl };
  try {
    const renewed = await renewSeed(deps, platform.seed, new Date());
    if (renewed.app_id !== platform.seed?.app_id) platform.lastCheck = null;
    platform.seed = renewed;
    await writeState(dataDir, 'seed', renewed);
  } finally {
    await db.end();
  }
}

async function tryLink(platform: Platform): Promise<void> {
  const { baseUrl, seed, tryLink: known } = platform;
  if (!seed) throw new Error('nothing was seeded');
  platform.tryLink = await findTryLink({ baseUrl, seed, known });
}

async function check(platform: Platform, say: Say): Promise<void> {
  const { baseUrl, dataDir, seed } = platform;
  if (!seed) throw new Error('nothing was seeded');
  // Loaded here, because a start without a check does not need it.
  const { firstCheck } = await import('./first-check.ts');
  const { withPhoneLock: holdPhone } = await import('../phone/phone-lock.ts');
  platform.lastCheck = await holdPhone({ dataDir, platform: 'ios', say }, () =>
    firstCheck({ baseUrl, dataDir, seed, say }),
  );
}

/** Settings that the start decides itself. */
const decided = new Set([
  'PROFILE',
  'DATA_DIR',
  'BASE_URL',
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_UI_URL',
  ...portVariables,
]);

/**
 * Returns the settings that are passed unchanged to API and worker. OpenTelemetry reads its own.
 */
function passedOn(env = environment()): Record<string, string> {
  const known = new Set([...Object.keys(apiConfig.shape), ...Object.keys(workerConfig.shape)]);
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const isPassed = (known.has(name) && !decided.has(name)) || name.startsWith('OTEL_');
    if (isPassed && value) passed[name] = value;
  }
  return passed;
}
