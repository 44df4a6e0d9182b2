import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { sendSignal } from '../../../cli/platform/processes.ts';

/** Environment variable with the path of the cleanup list, for processes that the runner forks. */
const listSetting = 'TRUSTCHECK_TEST_LIST';

/**
 * Makes this process, the first of a run, end all listed processes when it exits for any reason
 * except `kill -9`. Servers run in their own sessions, so Ctrl-C does not reach them, and the
 * runner kills its forks without a signal handler running.
 */
export function endAllWithUs(): void {
  if (process.env[listSetting]) return;
  const list = join(tmpdir(), `trustcheck-test-${process.pid}.list`);
  process.env[listSetting] = list;
  writeFileSync(list, '');
  process.once('exit', () => endAll(list));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

/**
 * Ends a process with the run, whichever process of the run started it. Has the parameters of
 * `onSpawn`.
 */
export function endWithUs(_name: string, pid: number): void {
  note(`${pid} ${beginningOf(pid)}`);
}

/** Removes a directory at the end of the run. */
export function removeWithUs(directory: string): void {
  note(`- ${directory}`);
}

function note(line: string): void {
  const list = process.env[listSetting];
  if (list) appendFileSync(list, `${line}\n`);
}

function endAll(list: string): void {
  const lines = readFileSync(list, 'utf8').trim().split('\n');
  const entries = lines.map((line) => [line.split(' ', 1)[0] ?? '', line] as const);
  for (const [first, line] of entries) {
    const pid = Number(first);
    if (pid > 0 && line === `${pid} ${beginningOf(pid)}`) sendSignal(pid, 'SIGKILL');
  }
  for (const [first, line] of entries) {
    if (first === '-') rmSync(line.slice(2), { recursive: true, force: true });
  }
  rmSync(list, { force: true });
}
