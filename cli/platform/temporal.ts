import { Connection, type TLSConfig } from '@temporalio/client';
import { temporalTlsOf } from '../../activities/runtime/temporal-tls.ts';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';
import { environment } from '../environment.ts';
import { awaitFree, freePort } from './ports.ts';
import * as processes from './processes.ts';
import { reasonOf } from './reason.ts';
import { prepareNamespace } from './temporal-namespace.ts';
import { findTemporal } from './temporal-program.ts';

export interface RunningTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly metricsUrl: string | null;
  /** Null when the server is somebody else's. */
  readonly pid: number | null;
  /** Comes true when our server is gone, asked or not; never for somebody else's. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface TemporalOptions {
  readonly logFile: string;
  /** The server's own store; in memory when left out. */
  readonly dbFile?: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly namespace?: string;
  /** Where the UI has payloads decrypted. */
  readonly codecEndpoint?: string;
  /** A server that runs already, in place of the one TEMPORAL_ADDRESS names. */
  readonly address?: string;
  /** How long that one may take to answer. */
  readonly givenMsMax?: number;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly onSpawn?: processes.OnSpawn | undefined;
}

const startMsMax = 60_000;
const givenMsMax = 15_000;
const dynamicConfig = [
  'frontend.enableServerVersionCheck=false',
  'frontend.enableUpdateWorkflowExecution=true',
  'frontend.enableUpdateWorkflowExecutionAsyncAccepted=true',
  'frontend.enableExecuteMultiOperation=true',
  'system.enableActivityEagerExecution=true',
  'frontend.namespaceRPS=20000',
  'frontend.rps=20000',
  'history.rps=20000',
  'matching.rps=20000',
  // Off by default in the server: fairness keys are ignored without it.
  'matching.enableFairness=true',
];

/**
 * The workflow server with the namespace and the search attributes of the platform: the one
 * TEMPORAL_ADDRESS names, else a development server of our own on 127.0.0.1.
 * Throws with the last lines of its log.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const namespace = options.namespace ?? environment()['TEMPORAL_NAMESPACE'] ?? 'default';
  const given = options.address ?? environment()['TEMPORAL_ADDRESS'];
  if (given) return useGiven(given, namespace, options.givenMsMax ?? givenMsMax);
  const program = await findTemporal({
    say: options.say,
    signal: options.signal,
  });
  const [port, uiPort, metricsPort] = [
    options.port ?? (await freePort()),
    options.uiPort ?? (await freePort()),
    await freePort(),
  ];
  await Promise.all([port, uiPort].map(awaitFree)).catch((cause: unknown) => {
    throw new Error(`Temporal: ${reasonOf(cause)}`, { cause });
  });
  const child = processes.launch({
    name: 'temporal',
    program,
    flags: flagsOf(options, namespace, port, uiPort, metricsPort),
    logFile: options.logFile,
    onSpawn: options.onSpawn,
  });
  const [address, uiUrl] = [`127.0.0.1:${port}`, `http://127.0.0.1:${uiPort}`];
  try {
    const isGone = (): boolean => processes.hasEnded(child);
    await processes.waitUntil(() => temporalAnswers(address), startMsMax, isGone);
    await prepareNamespace({ address, namespace });
    await processes.waitUntil(() => processes.isHealthy(uiUrl), startMsMax, isGone);
  } catch (cause) {
    const isStore = options.dbFile !== undefined && processes.hasEnded(child);
    await processes.stopProcess(child, 'SIGKILL');
    const way = `; where ${options.dbFile} is damaged or half made, forget it: npm run reset`;
    const reason = `${reasonOf(cause)}${isStore ? way : ''}`;
    const faults = faultsIn(options.logFile);
    throw new Error(`the Temporal server did not start: ${reason}\n${faults}`, { cause });
  }
  return {
    address,
    namespace,
    uiUrl,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    pid: child.pid ?? null,
    ended: processes.endOf(child),
    stop: () => processes.stopProcess(child, 'SIGTERM'),
  };
}

async function useGiven(
  address: string,
  namespace: string,
  msMax: number,
): Promise<RunningTemporal> {
  const tls = temporalTlsOf(environment());
  await processes
    .waitUntil(() => temporalAnswers(address, { tls }), msMax)
    .catch((cause: unknown) => {
      const way = 'start it, or unset TEMPORAL_ADDRESS to have one of our own';
      throw new Error(`no Temporal server answers at ${address}: ${way}`, { cause });
    });
  await prepareNamespace({ address, namespace, tls });
  return {
    address,
    namespace,
    uiUrl: environment()['TEMPORAL_UI_URL'] ?? null,
    metricsUrl: null,
    pid: null,
    ended: new Promise(() => undefined),
    stop: async () => undefined,
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

/** Its last errors: a server that fails warns of all its parts before it says why. */
function faultsIn(logFile: string): string {
  const tail = processes.tailOf(logFile);
  const faults = tail.split('\n').filter((line) => /"level":"(ERROR|FATAL)"/.test(line));
  return faults.join('\n') || tail;
}

/** Whether a Temporal server answers at an address. */
export async function temporalAnswers(
  address: string,
  { msMax = 1_000, tls }: { msMax?: number; tls?: TLSConfig | undefined } = {},
): Promise<boolean> {
  const connection = Connection.lazy({ address, connectTimeout: msMax, ...(tls && { tls }) });
  try {
    await connection.withDeadline(Date.now() + msMax, () =>
      connection.workflowService.getSystemInfo({}),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
