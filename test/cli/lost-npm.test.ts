import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyProcess, parentOf } from '../../cli/platform/identity.ts';
import { lockFile } from '../../cli/state.ts';
import { eventually } from '../harness.ts';
import { npmStart, ownDirectory, ownProcesses } from './run-command.ts';

const processes = ownProcesses();
let directory = { path: '', remove: async (): Promise<void> => undefined };
beforeAll(async () => {
  directory = await ownDirectory();
  chmodSync(directory.path, 0o755);
});
afterAll(async () => {
  processes.end();
  await directory.remove();
});

/** Whether npm, or the shell it runs its script with, has started our program. */
function isBegun(npm: number): boolean {
  const isBelow = (pid: number | null): boolean =>
    pid !== null && pid > 1 && (pid === npm || isBelow(parentOf(pid)));
  const found = everyProcess().find(
    ({ pid, words }) => words[1]?.endsWith('cli/trustcheck.mjs') && isBelow(pid),
  );
  if (found) processes.note(found.pid);
  return found !== undefined;
}

it.each([
  ['its program is there', (npm: number) => isBegun(npm)],
  ['its lock is there', (_: number, state: string) => existsSync(lockFile(state))],
])(
  'npm that is killed as soon as %s takes the platform with it',
  async (what, test) => {
    const state = join(directory.path, what.replace(/\W/g, '-'));
    const command = npmStart(state, ['--no-check']);
    const npm = processes.note(command.child.pid);
    await eventually(what, async () => test(npm, state), 60_000);
    command.child.kill('SIGKILL');
    // Whatever still ran would hold what npm was given to write to.
    const { stdout, stderr } = await command.ended;
    expect(stderr).toContain('\nstopping: what started this is gone\n');
    expect(stdout).not.toContain('trustcheck is running');
    expect(existsSync(lockFile(state))).toBe(false);
  },
  120_000,
);
