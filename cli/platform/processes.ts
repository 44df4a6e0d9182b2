import { spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../command-line/reason.ts';
import { isFree } from './ports.ts';

const startMsMax = 60_000;
const stopMsMax = 15_000;
/** Wait for a port that an ending process still uses. */
const portMsMax = 1_500;
const logBytesMax = 8 * 1024 ** 2;

/** Reason of `waitUntil` if the process ended before it was ready. */
export const endedReason = 'it has ended';

/** Called for every process as soon as it runs. */
export type OnSpawn = (name: string, pid: number) => void;

export interface Launch {
  readonly name: string;
  readonly program: string;
  readonly flags: readonly string[];
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** After it is aborted, nothing is started. */
  readonly signal?: AbortSignal | undefined;
  readonly onSpawn?: OnSpawn | undefined;
}

export interface PartOptions extends Launch {
  /** Name of the process in errors. */
  readonly title: string;
  /** Ports on which it listens. */
  readonly ports: readonly number[];
  readonly isReady: () => Promise<boolean>;
  /** Describes its state, for the error if it does not become ready. */
  readonly describe?: () => Promise<string>;
  readonly stopSignal: NodeJS.Signals;
}

/** A running server. */
export interface Part {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it is ready.
 * @throws with the last lines of its log, after the process is gone
 */
export async function startPart(options: PartOptions): Promise<Part> {
  const { title, ports, isReady, describe, stopSignal, logFile } = options;
  const failure = (reason: string, cause: unknown): Error =>
    new Error(`${title} did not start: ${reason}`, { cause });
  // Another process on that port would respond instead of this one.
  for (const port of ports) {
    await waitUntil(() => isFree(port), portMsMax).catch((cause: unknown) => {
      throw failure(`port ${port} is taken; choose another`, cause);
    });
  }
  const child = launch(options);
  try {
    await waitUntil(isReady, startMsMax, () => hasEnded(child));
  } catch (cause) {
    const state = describe && !hasEnded(child) ? `\n${await describe()}` : '';
    await stopProcess(child, stopSignal);
    throw failure(`${reasonOf(cause)}${state}\n${tailOf(logFile)}`, cause);
  }
  const stop = (): Promise<void> => stopProcess(child, stopSignal);
  return { child, pid: child.pid ?? 0, ended: endOf(child), stop };
}

/**
 * Starts a process in its own session. Ctrl-C then reaches only this process, which ends the others
 * in order.
 */
export function launch(options: Launch): ChildProcess {
  const { name, program, flags, logFile, env, cwd, signal, onSpawn } = options;
  signal?.throwIfAborted();
  const log = openLog(logFile);
  const child = spawn(program, flags, {
    stdio: ['ignore', log, log],
    detached: true,
    ...(env && { env }),
    ...(cwd && { cwd }),
  });
  closeSync(log);
  child.on('error', ({ message }) => appendFileSync(logFile, `${message}\n`));
  if (child.pid !== undefined) onSpawn?.(name, child.pid);
  return child;
}

/** Signals a process to end and waits. Kills it after a timeout. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  await endOf(child);
  clearTimeout(timer);
}

/** Resolves when a child process is gone; immediately if it never ran. */
export async function endOf(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Sends a signal to a process that may have ended or may not be ours to signal. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}

/**
 * Waits until a test holds.
 * @throws at the deadline, or as soon as the test can no longer hold
 */
export async function waitUntil(
  test: () => Promise<boolean>,
  msMax: number,
  isHopeless: () => boolean = () => false,
): Promise<void> {
  const deadline = Date.now() + msMax;
  while (!(await test())) {
    if (isHopeless()) throw new Error(endedReason);
    if (Date.now() > deadline) throw new Error(`not ready after ${msMax / 1000} s`);
    await sleep(50);
  }
}

/** Opens a log file for appending. Renames a large one first. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > logBytesMax) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** Returns the last lines of a log file; empty if it does not exist. */
export function tailOf(path: string, lines = 10): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}

/** A service that waits for its dependencies responds within 3 s. */
const healthMsMax = 5_000;
const shownLengthMax = 1_000;

/** Returns true if a URL responds with 200. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(healthMsMax) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Returns the status and the beginning of a response, or the reason why there is none. */
export async function healthOf(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(healthMsMax) });
    const text = await response.text();
    return `${url} answers ${response.status}: ${text.slice(0, shownLengthMax)}`;
  } catch (error) {
    return `${url} gives no answer: ${reasonOf(error)}`;
  }
}
