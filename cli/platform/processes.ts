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
import { beginningOf } from './identity.ts';

const stopMsMax = 15_000;
const killMsMax = 5_000;
const logBytesMax = 8 * 1024 ** 2;

/** Told of every process as soon as it runs, so that none is forgotten whatever happens next. */
export type OnSpawn = (name: string, pid: number) => void;

export interface Launch {
  readonly name: string;
  readonly program: string;
  readonly flags: readonly string[];
  /** Takes what the process says, and why it could not be started. */
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** The user to run as, when not our own. */
  readonly uid?: number | undefined;
  readonly onSpawn?: OnSpawn | undefined;
}

/**
 * Starts a long-running process apart from our terminal: Ctrl-C reaches us alone, and we end it in
 * its order.
 */
export function launch(options: Launch): ChildProcess {
  const { name, program, flags, logFile, env, cwd, uid, onSpawn } = options;
  const log = openLog(logFile);
  const child = spawn(program, [...flags], {
    stdio: ['ignore', log, log],
    detached: true,
    ...(env ? { env } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  closeSync(log);
  child.on('error', ({ message }) => appendFileSync(logFile, `${message}\n`));
  if (child.pid !== undefined) onSpawn?.(name, child.pid);
  return child;
}

/** Asks a process to end and waits; one that does not is killed. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const ended = endOf(child);
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  await ended;
  clearTimeout(timer);
}

/** Comes true when a child process is gone, at once when it never ran. */
export async function endOf(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Ends a process by its id, when it is still the one that began then. */
export async function endStranger(
  pid: number,
  beginning: string,
  signal: NodeJS.Signals,
): Promise<void> {
  const lives = (): boolean => beginningOf(pid) === beginning;
  const isGone = async (): Promise<boolean> => !lives();
  if (!lives()) return;
  sendSignal(pid, signal);
  await waitUntil(isGone, stopMsMax).catch(async () => {
    if (lives()) sendSignal(pid, 'SIGKILL');
    await waitUntil(isGone, killMsMax).catch(() => undefined);
  });
}

/** Sends a signal to a process that may have ended, or may not be ours to signal. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between.
  }
}

/** Waits until a test holds. Throws at the deadline, or as soon as it can no longer come true. */
export async function waitUntil(
  test: () => Promise<boolean>,
  msMax: number,
  isHopeless: () => boolean = () => false,
): Promise<void> {
  const deadline = Date.now() + msMax;
  while (!(await test())) {
    if (isHopeless()) throw new Error('it has ended');
    if (Date.now() > deadline) throw new Error(`not ready after ${msMax / 1000} s`);
    await sleep(50);
  }
}

/** Opens a log file for appending; one that has grown large is set aside first. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > logBytesMax) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** The last lines of a log file; none when there is no such file. */
export function tailOf(path: string, lines = 10): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}

/** Whether an address answers 200. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
