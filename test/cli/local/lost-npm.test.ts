import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyProcess, parentOf } from '../../../cli/platform/identity.ts';
import { findProcesses } from '../../../cli/platform/platform-processes.ts';
import { lockOf, readLock } from '../../../cli/platform/lock.ts';
import {
  npmStart,
  ownDirectory,
  ownProcesses,
  trustcheck,
} from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

const processes = ownProcesses();
let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';
beforeAll(async () => {
  directory = await ownDirectory();
  state = join(directory.path, 'state');
});
afterAll(async () => {
  // A failed test may leave a whole platform: its starter is killed, and the parts end.
  processes.note((await readLock(lockOf(state)))?.pid);
  processes.end();
  await trustcheck(state, ['reset']).ended;
  await directory.remove();
});

/** Returns whether npm, or the shell of its script, has started our program. */
function isBegun(npm: number): boolean {
  const isBelow = (pid: number): boolean => pid > 1 && (pid === npm || isBelow(parentOf(pid)));
  const found = everyProcess().find(
    ({ pid, words }) => words[1]?.endsWith('cli/trustcheck.mjs') && isBelow(pid),
  );
  if (found) processes.note(found.pid);
  return found !== undefined;
}

it.runIf(process.platform === 'linux')(
  'the platform ends when npm is killed right after it started its program',
  async () => {
    const command = npmStart(state, ['--no-check']);
    const npm = processes.note(command.child.pid);
    await eventually('our program', async () => isBegun(npm), 60_000);
    command.child.kill('SIGKILL');
    // A process that still runs would keep the output open.
    const { stdout, stderr } = await command.ended;
    expect(stderr).toContain('\nstopping: what started this is gone\n');
    expect(stdout).not.toContain('trustcheck is running');
    expect([await readLock(lockOf(state)), findProcesses(state)]).toEqual([null, []]);
  },
  120_000,
);
