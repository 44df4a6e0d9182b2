import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { environment } from '../../api/config.ts';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';
import { cacheDirectory } from './cache.ts';
import { buildWithGo } from './go.ts';
import { stopProcess, tailOf, waitUntil } from './processes.ts';
import { freePort } from './ports.ts';

export interface RunningTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly metricsUrl: string | null;
  readonly pid: number | null;
  stop(): Promise<void>;
}

export interface TemporalOptions {
  readonly logFile: string;
  /** The server's own store; in memory when left out. */
  readonly dbFile?: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly namespace?: string;
  readonly codecEndpoint?: string;
  readonly say: (line: string) => void;
}

/** The newest tag of the server that a plain `go install` can build. */
const goPackage = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const startMsMax = 60_000;
const dynamicConfig = [
  'frontend.enableUpdateWorkflowExecution=true',
  'frontend.enableUpdateWorkflowExecutionAsyncAccepted=true',
  'frontend.enableExecuteMultiOperation=true',
  'system.enableActivityEagerExecution=true',
  'frontend.namespaceRPS=20000',
  'frontend.rps=20000',
  'history.rps=20000',
  'matching.rps=20000',
];

/** The workflow server: the one TEMPORAL_ADDRESS names, else a development server of our own. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const namespace = options.namespace ?? 'default';
  const given = environment()['TEMPORAL_ADDRESS'];
  if (given) {
    await waitUntil(() => answers(given), startMsMax);
    const none = { uiUrl: null, metricsUrl: null, pid: null };
    return { address: given, namespace, ...none, stop: async () => undefined };
  }
  const program = await findProgram(options.say);
  const port = await freePort(options.port);
  const uiPort = await freePort(options.uiPort);
  const metricsPort = await freePort();
  await mkdir(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a');
  const child = spawn(program, flagsOf(options, namespace, port, uiPort, metricsPort), {
    stdio: ['ignore', log, log],
    detached: true,
  });
  child.on('error', () => undefined);
  closeSync(log);
  const address = `127.0.0.1:${port}`;
  try {
    const isGone = (): boolean => child.exitCode !== null || child.pid === undefined;
    await waitUntil(() => answers(address), startMsMax, isGone);
  } catch (cause) {
    await stopProcess(child, 'SIGKILL');
    const tail = await tailOf(options.logFile);
    throw new Error(`the Temporal server did not start:\n${tail}`, { cause });
  }
  return {
    address,
    namespace,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    pid: child.pid ?? null,
    stop: () => stopProcess(child, 'SIGTERM'),
  };
}

function flagsOf(
  options: TemporalOptions,
  namespace: string,
  port: number,
  uiPort: number,
  metricsPort: number,
): string[] {
  const attributes = searchAttributeKeys.map(
    ({ name, type }) => `${name}=${type === 'KEYWORD_LIST' ? 'KeywordList' : 'Keyword'}`,
  );
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    '--log-format=json',
    '--log-level=warn',
    `--port=${port}`,
    `--ui-port=${uiPort}`,
    `--metrics-port=${metricsPort}`,
    `--namespace=${namespace}`,
    ...dynamicConfig.flatMap((line) => ['--dynamic-config-value', line]),
    ...attributes.flatMap((line) => ['--search-attribute', line]),
    ...(options.dbFile ? ['--db-filename', options.dbFile] : []),
    ...(options.codecEndpoint ? ['--ui-codec-endpoint', options.codecEndpoint] : []),
  ];
}

/** The first that is there: on the PATH, in our cache, or built with Go, which takes minutes once. */
export async function findProgram(say: (line: string) => void): Promise<string> {
  return (await findExisting()) ?? buildWithGo({ name: 'temporal', goPackage, minutes: 5, say });
}

/** The server's program on the PATH or in our cache, or null. */
export async function findExisting(): Promise<string | null> {
  const cached = join(cacheDirectory(), 'bin', 'temporal');
  const onPath = (environment()['PATH'] ?? '').split(delimiter).map((dir) => join(dir, 'temporal'));
  for (const candidate of [...onPath, cached]) {
    if (await isProgram(candidate)) return candidate;
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function answers(address: string): Promise<boolean> {
  const connection = Connection.lazy({ address, connectTimeout: 1_000 });
  try {
    await connection.withDeadline(Date.now() + 1_000, () =>
      connection.workflowService.getSystemInfo({}),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
