import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Listr } from 'listr2';
import { createDevPki } from '../activities/certificates/dev-pki.ts';
import { loadKeys } from '../activities/certificates/load-keys.ts';
import { verifyAffidavit } from '../activities/affidavit/verify.ts';
import { environment } from '../api/config.ts';
import { openDb } from '../db/client.ts';
import { randomIds } from '../db/ids.ts';
import { migrate } from '../db/migrate.ts';
import { boxOf } from './box.ts';
import { createClient } from './phone/client.ts';
import { phoneCheck } from './phone/check.ts';
import { devTrustSettings, keepDevTrust, readDevTrust } from './phone/dev-trust.ts';
import { createDevice } from './phone/device.ts';
import { keepDevice, readDevice } from './phone/saved.ts';
import { freePort } from './platform/ports.ts';
import { startPostgres } from './platform/postgres.ts';
import { startService } from './platform/services.ts';
import { startTemporal, type RunningTemporal } from './platform/temporal.ts';
import { newSession, seed, type Seed } from './seed.ts';
import * as state from './state.ts';

interface Context {
  readonly dataDir: string;
  ports: state.Ports;
  baseUrl: string;
  databaseUrl: string;
  temporal: RunningTemporal | null;
  seed: Seed | null;
  lastCheck: state.LastCheck | null;
  /** What was started, to be ended in reverse. */
  readonly started: (() => Promise<void>)[];
}

export interface StartOptions {
  readonly once?: boolean;
  readonly check: boolean;
}

/**
 * Brings up everything, runs one check, prints the box, and stays until it is told to stop. Gives
 * the exit code: with `--once` 0 only when the check passed and its affidavit verified.
 */
export async function start(dataDir: string, options: StartOptions): Promise<number> {
  const other = await state.runningStart(dataDir);
  if (other !== null) {
    process.stderr.write(`already running as process ${other}; see: npm run status\n`);
    return 1;
  }
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  await state.writeState(dataDir, 'lock', { pid: process.pid });
  const context = await createContext(dataDir);
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  try {
    await tasks(options).run(context);
    const status = statusOf(context);
    await state.writeState(dataDir, 'status', status);
    process.stdout.write(boxOf(status));
    if (!options.once) await stopped;
    return options.check && !context.lastCheck?.verified ? 1 : 0;
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.stderr.write(
      'the logs are in .data/logs; look for causes with: npx trustcheck doctor\n',
    );
    return 1;
  } finally {
    for (const stop of context.started.toReversed()) await stop().catch(() => undefined);
    await state.removeState(dataDir, 'lock');
  }
}

async function createContext(dataDir: string): Promise<Context> {
  const last = await state.readState<state.Ports>(dataDir, 'ports');
  const env = environment();
  const ports = {
    api: await freePort(Number(env['PORT'] ?? last?.api ?? 8080)),
    metrics: await freePort(Number(env['METRICS_PORT'] ?? last?.metrics ?? 9464)),
    worker: await freePort(Number(env['WORKER_PORT'] ?? last?.worker ?? 9465)),
    postgres: await freePort(last?.postgres ?? 5433),
    temporal: await freePort(last?.temporal ?? 7233),
    temporalUi: await freePort(last?.temporalUi ?? 8233),
  };
  await state.writeState(dataDir, 'ports', ports);
  return {
    dataDir,
    ports,
    baseUrl: env['BASE_URL'] ?? `http://127.0.0.1:${ports.api}`,
    databaseUrl: '',
    temporal: null,
    seed: await state.readState<Seed>(dataDir, 'seed'),
    lastCheck: (await state.readState<state.PlatformStatus>(dataDir, 'status'))?.last_check ?? null,
    started: [],
  };
}

function tasks(options: StartOptions): Listr<Context> {
  return new Listr<Context>(
    [
      {
        title: 'PostgreSQL and Temporal',
        task: async (context, task) => {
          await Promise.all([
            database(context),
            workflowServer(context, (line) => {
              task.output = line;
            }),
          ]);
        },
        rendererOptions: { persistentOutput: true },
      },
      { title: 'migrations', task: (context) => migrate(context.databaseUrl) },
      { title: 'keys', task: keys },
      { title: 'worker and API', task: services },
      { title: 'account, app, people, API key', task: seeding },
      {
        title: 'one trust check, by the phone simulator',
        enabled: () => options.check,
        task: async (context, task) => {
          await oneCheck(context, (line) => {
            task.output = line;
          });
        },
        rendererOptions: { persistentOutput: true },
      },
    ],
    {
      rendererOptions: { timer: { condition: true, field: (ms: number) => `${ms} ms` } },
      fallbackRenderer: 'simple',
    } as never,
  );
}

async function database(context: Context): Promise<void> {
  const given = environment()['DATABASE_URL'];
  if (given) {
    context.databaseUrl = given;
    return;
  }
  const server = await startPostgres({
    dataDir: join(context.dataDir, 'postgres'),
    logFile: join(context.dataDir, 'logs', 'postgres.log'),
    port: context.ports.postgres,
  });
  context.started.push(() => server.stop());
  context.databaseUrl = server.url;
}

async function workflowServer(context: Context, say: (line: string) => void): Promise<void> {
  context.temporal = await startTemporal({
    logFile: join(context.dataDir, 'logs', 'temporal.log'),
    dbFile: join(context.dataDir, 'temporal.db'),
    port: context.ports.temporal,
    uiPort: context.ports.temporalUi,
    codecEndpoint: `${context.baseUrl}/codec`,
    say,
  });
  const { temporal } = context;
  context.started.push(() => temporal.stop());
}

async function keys(context: Context): Promise<void> {
  const directory = join(context.dataDir, 'keys');
  await createDevPki(directory, { now: new Date(), baseUrl: context.baseUrl });
  await keepDevTrust(context.dataDir, new Date());
}

async function services(context: Context): Promise<void> {
  const { ports, dataDir, temporal } = context;
  const settings: Record<string, string> = {
    PROFILE: 'development',
    DATABASE_URL: context.databaseUrl,
    TEMPORAL_ADDRESS: temporal?.address ?? '',
    TEMPORAL_NAMESPACE: temporal?.namespace ?? 'default',
    BASE_URL: context.baseUrl,
    PORT: String(ports.api),
    METRICS_PORT: String(ports.metrics),
    WORKER_PORT: String(ports.worker),
    DATA_DIR: dataDir,
    CODEC_OPERATOR_TOKEN: randomBytes(24).toString('hex'),
    ...(temporal?.uiUrl ? { TEMPORAL_UI_URL: temporal.uiUrl } : {}),
    ...(await devTrustSettings(dataDir)),
    ...passedOn(),
  };
  const logFile = (name: string): string => join(dataDir, 'logs', `${name}.log`);
  const begun = await Promise.allSettled([
    startService({
      name: 'worker',
      settings,
      healthUrl: `http://127.0.0.1:${ports.worker}/readyz`,
      logFile: logFile('worker'),
    }),
    startService({
      name: 'api',
      settings,
      healthUrl: `http://127.0.0.1:${ports.api}/readyz`,
      logFile: logFile('api'),
    }),
  ]);
  for (const each of begun) if (each.status === 'fulfilled') context.started.push(each.value.stop);
  for (const each of begun) if (each.status === 'rejected') throw each.reason;
}

/** Settings of the outside world go through to the processes as they were given. */
function passedOn(): Record<string, string> {
  const prefixes = ['S3_', 'SENDGRID_', 'TWILIO_', 'OTEL_', 'LOG_LEVEL', 'TRUSTED_PROXIES'];
  const given = Object.entries(environment()).filter(([name]) =>
    prefixes.some((prefix) => name.startsWith(prefix)),
  );
  return Object.fromEntries(given.map(([name, value]) => [name, value ?? '']));
}

async function seeding(context: Context): Promise<void> {
  const db = openDb(
    { url: context.databaseUrl, connectionsMax: 1, applicationName: 'trustcheck-start' },
    () => undefined,
  );
  const platformKeys = loadKeys(join(context.dataDir, 'keys'));
  const deps = { db, keys: platformKeys, ids: randomIds, baseUrl: context.baseUrl };
  const now = new Date();
  try {
    context.seed ??= await seed(deps, `example-${randomBytes(3).toString('hex')}`, now);
    const { admin, member, subject, account_id } = context.seed;
    const again = async (person: Seed['admin'], role: 'ADMIN' | 'MEMBER' | null) => ({
      ...person,
      session_token: await newSession(
        deps,
        person.poly_user_id,
        role ? account_id : null,
        role ? [role] : [],
        now,
      ),
    });
    const people = {
      admin: await again(admin, 'ADMIN'),
      member: await again(member, 'MEMBER'),
      subject: await again(subject, null),
    };
    context.seed = { ...context.seed, ...people };
    await state.writeState(context.dataDir, 'seed', context.seed);
  } finally {
    await db.end();
  }
}

const affidavitMsMax = 60_000;

/** One check through the public API, from the link to the affidavit, downloaded and verified. */
async function oneCheck(context: Context, say: (line: string) => void): Promise<void> {
  if (!context.seed) throw new Error('nothing was seeded');
  const { api_key: token, app_id } = context.seed;
  const call = createClient(context.baseUrl);
  const link = await call<{ url: string }>('PUT', `/v2/link/${app_id}`, {
    body: { title: 'First check' },
    token,
    idempotencyKey: randomBytes(16).toString('hex'),
  });
  const { dataDir } = context;
  const trust = await readDevTrust(dataDir);
  const saved = await readDevice(dataDir, 'ios');
  const session = await phoneCheck({
    link: link.url,
    number: '+4915112345678',
    trust,
    device: createDevice({ platform: 'ios', trust, now: () => new Date(), saved }),
    say,
    keep: (device) => keepDevice(dataDir, device),
  });
  const id = session.link_session_id;
  const deadline = Date.now() + affidavitMsMax;
  const path = join(context.dataDir, 'affidavits', `${id}.pdf`);
  for (;;) {
    const { affidavit } = await call<{ affidavit: { status: string } }>(
      'GET',
      `/v2/trust-checks/${id}`,
      { token },
    );
    if (affidavit.status === 'available') break;
    if (Date.now() > deadline) throw new Error('the affidavit was not issued in time');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const { location } = await call<{ location: string }>(
    'GET',
    `/v2/affidavits/${app_id}/${id}/download`,
    { token },
  );
  const pdf = Buffer.from(await (await fetch(location)).arrayBuffer());
  await mkdir(join(context.dataDir, 'affidavits'), { recursive: true });
  await writeFile(path, pdf);
  const root = loadKeys(join(context.dataDir, 'keys')).root.certificate;
  const verdict = await verifyAffidavit(pdf, [root], new Date());
  const verified = session.status === 'passed' && verdict.result === 'valid';
  context.lastCheck = { link_session_id: id, affidavit_path: path, verified };
  if (!verified)
    throw new Error(`the check ended ${session.status}, the affidavit ${verdict.result}`);
}

function statusOf(context: Context): state.PlatformStatus {
  if (!context.seed || !context.temporal) throw new Error('the platform is not up');
  return {
    base_url: context.baseUrl,
    temporal_address: context.temporal.address,
    temporal_namespace: context.temporal.namespace,
    temporal_ui: context.temporal.uiUrl,
    database_url: context.databaseUrl,
    outbox_url: `${context.baseUrl}/outbox`,
    ...context.seed,
    last_check: context.lastCheck,
  };
}
