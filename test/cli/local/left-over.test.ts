import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '../../../cli/data-directory/state.ts';
import { beginningOf, everyProcess } from '../../../cli/platform/identity.ts';
import {
  clearDrafts,
  draftFor,
  listDrafts,
  passwordCopyOf,
} from '../../../cli/platform/postgres-drafts.ts';
import { clustersOf, removeCluster } from '../../../cli/platform/postgres-roots-place.ts';
import { ownDirectory, ownProcesses, trustcheck } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';
import { alive, beginPlatform } from './begin-platform.ts';

const isRoot = process.getuid?.() === 0;
const parts = ['api', 'postgres', 'temporal', 'worker'];
const processes = ownProcesses();
let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';
/** One for each test: what one could not end is no other's. */
const states: string[] = [];
/** Two starts and ends of a platform on a busy machine, whose every process may take its time. */
const msMax = 300_000;
const clusterOf = (path: string): string => join(path, 'postgres');
const run = (...flags: string[]) => trustcheck(state, flags).ended;

beforeAll(async () => {
  directory = await ownDirectory();
  chmodSync(directory.path, 0o755);
});
beforeEach(() => {
  state = join(directory.path, `state-${states.length + 1}`);
  states.push(state);
});
afterAll(async () => {
  processes.end();
  for (const each of states) {
    await clearDrafts(clusterOf(each));
    for (const path of await clustersOf(clusterOf(each))) await removeCluster(path);
  }
  await directory.remove();
});

describe('a platform whose directory is removed under it', () => {
  it.each([
    ['and not made again', () => undefined],
    ['and made anew', () => mkdirSync(state, { recursive: true })],
  ])(
    '%s ends everything, with one line',
    async (_what, after) => {
      const { command, ledger } = await beginPlatform(state, processes);
      removeUnder(state);
      after();
      const { code, stderr } = await command.ended;
      expect(code).toBe(1);
      expect(stderr).toBe(`\nstopping: ${state} is gone, or is not the one this began in\n`);
      expect(alive(ledger)).toEqual([]);
      rmSync(state, { recursive: true, force: true });
      const { stdout } = await run('doctor', '--all');
      if (isRoot)
        expect(stdout).toContain(` is left there of ${clusterOf(state)}, which is gone, or`);
    },
    msMax,
  );
});

describe('what a killed start has left', () => {
  it(
    'is told by doctor from what is somebody else’s, and found by stop without its directory',
    async () => {
      const { ledger } = await beginPlatform(state, processes);
      const ports = JSON.parse(readFileSync(join(state, 'ports.json'), 'utf8')) as Ports;
      await kill(ledger.owner.pid);
      const { code, stdout } = await run('doctor');
      expect(code).toBe(1);
      const [line = ''] = /^. Ports: .*$/m.exec(stdout) ?? [];
      expect(line).toMatch(
        /^✗ Ports: ours, left by a start that was killed: .*; run npm run stop$/,
      );
      const named = ledger.children.map(({ name, pid }) => `${name} (process ${pid})`);
      expect(line.match(/\w+ \(process \d+\)/g)?.sort()).toEqual(named.sort());
      for (const port of Object.values(ports)) expect(line).toContain(`${port}`);
      expect(stdout).not.toContain('somebody else');
      if (isRoot) expect(stdout).toContain('as root its cluster lies at /var/lib/trustcheck/');
      removeUnder(state);
      expect(alive(ledger).sort()).toEqual(parts);
      expect((await run('doctor')).stdout).toMatch(/^✗ Ports: ours, .*api.*; run npm run stop$/m);
      expect(await run('stop')).toMatchObject({
        code: 0,
        stdout: 'stopped what was left running\n',
      });
      expect([alive(ledger), existsSync(state)]).toEqual([[], false]);
      expect((await run('doctor')).stdout).toContain('✓ Ports: free');
      expect(await run('stop')).toMatchObject({ code: 0, stdout: 'nothing runs here\n' });
    },
    msMax,
  );
});

describe('a start that ends while it makes its cluster', () => {
  /** A start, as soon as its draft is there. */
  async function beginDraft() {
    const command = trustcheck(state, ['start', '--no-check']);
    const pid = processes.note(command.child.pid);
    const draft = await eventually('a draft', async () => {
      const drafts = await listDrafts(clusterOf(state));
      return drafts.map(({ path }) => path).find((path) => path.includes(`.${pid}.`));
    });
    return { command, draft, pid };
  }

  it.each([
    ['start', { DATABASE_ADMIN_URL: 'not-an-address' }, 1],
    ['reset', {}, 0],
  ])(
    'and is killed leaves a draft, which %s removes, and nobody else’s',
    async (name, env, code) => {
      const { command, draft, pid } = await beginDraft();
      // One that somebody else is making there all the while.
      const other = spawn('sleep', ['600'], { stdio: 'ignore' });
      const otherDraft = draftFor(
        join(dirname(draft), basename(draft).split('.', 1)[0] ?? ''),
        processes.note(other.pid),
      );
      mkdirSync(otherDraft);
      writeFileSync(passwordCopyOf(otherDraft), 'secret');
      command.child.kill('SIGKILL');
      await command.ended;
      expect(beginningOf(pid)).toBeNull();
      expect((await run('stop')).code).toBe(0);
      if (isRoot) {
        removeUnder(state);
        state = `${state}-other`;
      }
      expect((await run('doctor')).stdout).not.toContain(otherDraft);
      expect((await trustcheck(state, [name], env).ended).code).toBe(code);
      const left = [draft, otherDraft].flatMap((each) => [each, passwordCopyOf(each)]);
      expect(left.map((each) => existsSync(each))).toEqual([false, false, true, true]);
      expect(everyProcess().filter(({ words }) => words.includes(draft))).toEqual([]);
      await kill(processes.note(other.pid));
      expect((await run('reset')).code).toBe(0);
      expect(left.filter((each) => existsSync(each))).toEqual([]);
    },
    msMax,
  );

  it(
    'and is interrupted leaves none',
    async () => {
      const { command, draft } = await beginDraft();
      command.child.kill('SIGTERM');
      expect((await command.ended).code).toBe(143);
      expect([draft, passwordCopyOf(draft)].filter((each) => existsSync(each))).toEqual([]);
      expect(everyProcess().filter(({ words }) => words.includes(draft))).toEqual([]);
    },
    msMax,
  );
});

/**
 * Node ends at a file that vanishes meanwhile (the journal of a database), and says nothing; at one
 * that comes meanwhile it says that the directory is not empty.
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
