import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { environment } from '../../api/config.ts';
import { isHealthy, stopProcess, tailOf, waitUntil } from './processes.ts';

export interface Service {
  readonly name: 'api' | 'worker';
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly name: 'api' | 'worker';
  readonly settings: Readonly<Record<string, string>>;
  readonly healthUrl: string;
  readonly logFile: string;
}

const startMsMax = 60_000;
const entries = { api: '../../api/main.ts', worker: '../../workers/main.ts' } as const;
/** What a child needs of our environment besides its settings. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS'];

/** Starts the API or the worker as a process of its own and waits until it is ready. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const log = openSync(options.logFile, 'a');
  const env: Record<string, string> = { ...options.settings };
  for (const name of inherited) {
    const value = environment()[name];
    if (value !== undefined) env[name] = value;
  }
  const entry = new URL(entries[options.name], import.meta.url).pathname;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    stdio: ['ignore', log, log],
    detached: true,
    env,
  });
  child.on('error', () => undefined);
  closeSync(log);
  try {
    await waitUntil(
      () => isHealthy(options.healthUrl),
      startMsMax,
      () => child.exitCode !== null || child.pid === undefined,
    );
  } catch (cause) {
    await stopProcess(child, 'SIGKILL');
    const tail = await tailOf(options.logFile);
    throw new Error(`the ${options.name} process did not become ready:\n${tail}`, { cause });
  }
  return { name: options.name, child, stop: () => stopProcess(child, 'SIGTERM') };
}
