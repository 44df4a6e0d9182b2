import { Connection, type TLSConfig } from '@temporalio/client';
import { temporalTlsOf } from '../../activities/runtime/temporal-tls.ts';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';
import { reasonOf } from '../command-line/reason.ts';
import { environment } from '../environment.ts';
import { prepareNamespace } from '../temporal/namespace.ts';
import { freePort } from './ports.ts';
import {
  endedReason,
  isHealthy,
  startPart,
  waitUntil,
  type Part,
  type PartOptions,
} from './processes.ts';
import { findTemporal } from './temporal-program.ts';

export interface RunningTemporal extends Pick<Part, 'ended' | 'stop'> {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly metricsUrl: string | null;
  /** Null for an external server. */
  readonly pid: number | null;
}

export interface TemporalOptions extends Pick<PartOptions, 'logFile' | 'signal' | 'onSpawn'> {
  /** File of the server's own store. Default: in memory. */
  readonly dbFile?: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly namespace?: string;
  /** URL with which the UI decrypts payloads. */
  readonly codecEndpoint?: string;
  /** A running server, instead of the one in TEMPORAL_ADDRESS. */
  readonly address?: string;
  /** Maximum time until that server responds. */
  readonly connectMsMax?: number;
  readonly say: (line: string) => void;
}

const givenMsMax = 15_000;
const attributeTypes = { KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;
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
  // Off by default in the server, which then ignores fairness keys.
  'matching.enableFairness=true',
];

/**
 * Returns a Temporal server with the namespace and the search attributes of the platform. It is the
 * server of TEMPORAL_ADDRESS, else a new development server on 127.0.0.1.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { dbFile, logFile, signal, onSpawn, say } = options;
  const namespace = options.namespace ?? environment()['TEMPORAL_NAMESPACE'] ?? 'default';
  const given = options.address ?? environment()['TEMPORAL_ADDRESS'];
  if (given) return useExistingServer(given, namespace, options.connectMsMax ?? givenMsMax);
  const program = await findTemporal({ say, signal });
  const { port = await freePort(), uiPort = await freePort() } = options;
  const metricsPort = await freePort();
  const [address, uiUrl] = [`127.0.0.1:${port}`, `http://127.0.0.1:${uiPort}`];
  const flags = ['--ip=127.0.0.1', '--log-format=json', '--log-level=warn', `--port=${port}`];
  flags.push(`--ui-port=${uiPort}`, `--metrics-port=${metricsPort}`, `--namespace=${namespace}`);
  flags.push(...dynamicConfig.flatMap((line) => ['--dynamic-config-value', line]));
  for (const { name, type } of searchAttributeKeys) {
    flags.push('--search-attribute', `${name}=${attributeTypes[type]}`);
  }
  if (dbFile) flags.push('--db-filename', dbFile);
  if (options.codecEndpoint) flags.push('--ui-codec-endpoint', options.codecEndpoint);
  const { pid, ended, stop } = await startPart({
    name: 'temporal',
    title: 'the Temporal server',
    program,
    flags: ['server', 'start-dev', ...flags],
    logFile,
    signal,
    onSpawn,
    ports: [port, uiPort],
    async isReady() {
      if (!(await temporalAnswers(address)) || !(await isHealthy(uiUrl))) return false;
      await prepareNamespace({ address, namespace });
      return true;
    },
    stopSignal: 'SIGTERM',
  }).catch((cause: unknown) => {
    const hasEnded = reasonOf(Object(cause).cause) === endedReason;
    const way = `\nwhere ${dbFile} is damaged or half made, forget it: npm run reset`;
    throw new Error(`${reasonOf(cause)}${dbFile && hasEnded ? way : ''}`, { cause });
  });
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  return { address, namespace, uiUrl, metricsUrl, pid, ended, stop };
}

async function useExistingServer(address: string, namespace: string, msMax: number) {
  const tls = temporalTlsOf(environment());
  await waitUntil(() => temporalAnswers(address, { tls }), msMax).catch((cause: unknown) => {
    const way = 'start it, or unset TEMPORAL_ADDRESS to have one of our own';
    throw new Error(`no Temporal server answers at ${address}: ${way}`, { cause });
  });
  await prepareNamespace({ address, namespace, tls });
  const uiUrl = environment()['TEMPORAL_UI_URL'] ?? null;
  const owner = { metricsUrl: null, pid: null, ended: new Promise<void>(() => undefined) };
  return { address, namespace, uiUrl, ...owner, stop: async () => undefined };
}

/** Returns true if a Temporal server responds at an address. */
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
