import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '../../../cli/data-directory/state.ts';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { findProcesses, namesOf } from '../../../cli/platform/platform-processes.ts';
import { ownDirectory, ownProcesses, trustcheck } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';
import { alive, beginPlatform, beginUpTo } from './begin-platform.ts';

const parts = ['api', 'postgres', 'temporal', 'worker'];
const processes = ownProcesses();
let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';
let count = 0;
/** Time for two starts and stops of a platform on a busy machine. */
const msMax = 300_000;
const run = (...flags: string[]) => trustcheck(state, flags).ended;

beforeAll(async () => {
  directory = await ownDirectory();
});
beforeEach(() => {
  // One directory per test, so that leftovers of one do not affect another.
  count += 1;
  state = join(directory.path, `state-${count}`);
});
afterAll(async () => {
  processes.end();
  await directory.remove();
});

describe('a platform when its directory is removed', () => {
  it.each([
    ['and not made again', () => undefined],
    ['and made anew', () => mkdirSync(state, { recursive: true })],
  ])(
    'ends all its parts with one line when the directory is removed %s',
    async (_what, after) => {
      const { command, ...begun } = await beginPlatform(state, processes);
      removeUnder(state);
      after();
      const { code, stderr } = await command.ended;
      expect(code).toBe(1);
      expect(stderr).toBe(`\nstopping: ${state} is gone, or is not the one this began in\n`);
      expect(alive(begun)).toEqual([]);
      rmSync(state, { recursive: true, force: true });
    },
    msMax,
  );
});

describe('the parts left by a killed start', () => {
  it(
    'are listed by doctor apart from other programs, and stopped even without their directory',
    async () => {
      const begun = await beginPlatform(state, processes);
      const ports = JSON.parse(readFileSync(join(state, 'ports.json'), 'utf8')) as Ports;
      await kill(begun.pid);
      const { code, stdout } = await run('doctor');
      expect(code).toBe(1);
      const [line = ''] = /^. Ports: .*$/m.exec(stdout) ?? [];
      expect(line).toMatch(
        /^✗ Ports: ours, left by a start that was killed: .*; run npm run stop$/,
      );
      expect(line).toContain(namesOf(begun.parts));
      for (const port of Object.values(ports)) expect(line).toContain(`${port}`);
      expect(stdout).not.toContain('somebody else');
      removeUnder(state);
      expect(alive(begun).sort()).toEqual(parts);
      expect((await run('doctor')).stdout).toMatch(/^✗ Ports: ours, .*api.*; run npm run stop$/m);
      expect(await run('stop')).toMatchObject({
        code: 0,
        stdout: 'stopped what was left running\n',
      });
      expect([alive(begun), existsSync(state)]).toEqual([[], false]);
      expect((await run('doctor')).stdout).toContain('✓ Ports: free');
      expect(await run('stop')).toMatchObject({ code: 0, stdout: 'nothing runs here\n' });
    },
    msMax,
  );
});

describe('a start that ends while it initializes its cluster', () => {
  it.each([
    ['SIGKILL', null],
    ['SIGTERM', 143],
  ] as const)(
    'leaves nothing after %s, and the next start initializes a new cluster',
    async (signal, code) => {
      const { command, pid } = await beginUpTo(state, processes, 'initdb');
      command.child.kill(signal);
      expect((await command.ended).code).toBe(code);
      expect(beginningOf(pid)).toBeNull();
      expect((await run('stop')).code).toBe(0);
      expect(findProcesses(state)).toEqual([]);
      const again = await beginPlatform(state, processes);
      expect(existsSync(join(state, 'postgres.new'))).toBe(false);
      expect((await run('stop')).stdout).toBe('stopped\n');
      expect(alive(again)).toEqual([]);
      expect([(await run('reset')).code, existsSync(state)]).toEqual([0, false]);
    },
    msMax,
  );
});

/**
 * Removes a directory that is in use. Node silently stops at a file that vanishes meanwhile (a
 * database journal), and throws ENOTEMPTY at one that appears.
 */
function removeUnder(path: string): void {
  while (existsSync(path)) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
    }
  }
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await eventually('the end of the starter', async () => !beginningOf(pid));
}
