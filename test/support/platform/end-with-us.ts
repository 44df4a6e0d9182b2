import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { sendSignal } from '../../../cli/platform/processes.ts';

/** Names the list of what ends with a run, for the processes the runner forks. */
const listSetting = 'TRUSTCHECK_TEST_LIST';

/**
 * Has this process, the first of a run, end what was noted when it ends itself, by whatever but a
 * `kill -9`: servers are in sessions of their own, so that no Ctrl-C reaches them, and the runner
 * kills its forks without a word.
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

/** Has a process end with the run, wherever in it it was started. Takes what `onSpawn` is told. */
export function endWithUs(_name: string, pid: number): void {
  note(`${pid} ${beginningOf(pid)}`);
}

/** Has a directory removed with the end of the run. */
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
