import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const stopMsMax = 15_000;

/** Asks a process to end and waits; one that does not is killed. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  await ended;
  clearTimeout(timer);
}

/** Waits until a test holds. Throws at the deadline, or as soon as it can no longer come true. */
export async function waitUntil(
  test: () => Promise<boolean>,
  msMax: number,
  isHopeless: () => boolean = () => false,
): Promise<void> {
  const deadline = Date.now() + msMax;
  while (!(await test())) {
    if (isHopeless()) throw new Error('the process has ended');
    if (Date.now() > deadline) throw new Error(`not ready after ${msMax / 1000} s`);
    await sleep(100);
  }
}

/** The last lines of a log file. */
export async function tailOf(path: string, lines = 10): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-lines).join('\n');
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
