import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environment } from '../environment.ts';
import { compiledDirectory, hasCache } from './cache.ts';
import { awaitFree } from './ports.ts';
import * as processes from './processes.ts';
import { reasonOf } from './reason.ts';

export interface Service {
  readonly name: 'api' | 'worker';
  readonly child: ChildProcess;
  /** Comes true when the process is gone, asked or not. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly name: 'api' | 'worker';
  readonly settings: Readonly<Record<string, string>>;
  readonly healthUrl: string;
  readonly logFile: string;
  readonly onSpawn?: processes.OnSpawn | undefined;
}

const startMsMax = 60_000;
/**
 * A young generation that fits what starting makes: measured, a tenth less CPU until it is ready,
 * and half the collecting after, for some 30 MB.
 */
const youngGeneration = ['--min-semi-space-size=16', '--max-semi-space-size=64'];
const entries = { api: '../../api/main.ts', worker: '../../workers/main.ts' } as const;
/**
 * What a child needs of our environment besides its settings; the last is where SoftHSM2 finds its
 * tokens, if that is KEYS_PKCS11_MODULE.
 */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS', 'SOFTHSM2_CONF'];

/**
 * Starts the API or the worker as a process of its own and waits until it is ready.
 * Throws with the last lines of its log.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { name, settings, healthUrl, logFile, onSpawn } = options;
  const title = `the ${name === 'api' ? 'API' : name}`;
  // Whoever listens there already would answer for a process that is not up yet.
  await awaitFree(Number(new URL(healthUrl).port)).catch((cause: unknown) => {
    throw new Error(`${title}: ${reasonOf(cause)}`, { cause });
  });
  const kept = hasCache() ? { NODE_COMPILE_CACHE: compiledDirectory() } : {};
  const env: Record<string, string> = { ...kept, ...settings };
  for (const each of inherited) {
    const value = environment()[each];
    if (value !== undefined) env[each] = value;
  }
  const entry = fileURLToPath(new URL(entries[name], import.meta.url));
  const child = processes.launch({
    name,
    program: process.execPath,
    // The directory is told by the settings: here it is for whoever looks for what is left over.
    flags: [
      '--disable-warning=ExperimentalWarning',
      ...youngGeneration,
      entry,
      settings['DATA_DIR'] ?? '',
    ],
    logFile,
    env,
    onSpawn,
  });
  try {
    const isGone = (): boolean => processes.hasEnded(child);
    await processes.waitUntil(() => processes.isHealthy(healthUrl), startMsMax, isGone);
  } catch (cause) {
    await processes.stopProcess(child, 'SIGKILL');
    const tail = processes.tailOf(logFile);
    throw new Error(`${title} did not become ready: ${reasonOf(cause)}\n${tail}`, { cause });
  }
  return {
    name,
    child,
    ended: processes.endOf(child),
    stop: () => processes.stopProcess(child, 'SIGTERM'),
  };
}
