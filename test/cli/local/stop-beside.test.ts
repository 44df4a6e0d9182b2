import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stop } from '../../../cli/local/stop.ts';
import { addressOf, lockOf, takeLock } from '../../../cli/platform/lock.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';
import { likePart } from '../platform/like-part.ts';

const processes = ownProcesses();
const said: string[] = [];
let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';

beforeEach(async () => {
  directory = await ownDirectory();
  state = join(directory.path, 'state');
  said.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  processes.end();
  await directory.remove();
});

/** The command line of `npm start`. */
const command = 'cli/trustcheck.mjs';
const holder = new URL('../platform/hold-lock.ts', import.meta.url).pathname;

describe('stop beside another command', () => {
  it.each([['stop'], ['reset']])(
    'waits for a running %s, names its process and exits 0',
    async (work) => {
      const lock = await takeLock(state, work);
      const stopped = stop(state);
      await eventually('a word about it', async () => said.length > 0);
      if ('release' in lock) lock.release();
      expect(await stopped).toBe(0);
      const words = `process ${process.pid} runs trustcheck ${work} here; waiting for it\n`;
      expect(said).toEqual([words, 'stopped\n']);
    },
  );

  it('ends a start that began meanwhile, and says so', async () => {
    const child = spawn(process.execPath, [holder, state, 'stop', 'start', command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const pid = processes.note(child.pid);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const stopped = stop(state);
    await eventually('a word about it', async () => said.length > 0);
    child.kill('SIGUSR2');
    expect(await stopped).toBe(0);
    await gone;
    expect(said.slice(1)).toEqual([`process ${pid} has begun meanwhile; ending it\n`, 'stopped\n']);
  });

  it.each([['0'], ['-1'], ['of another process of the user']])(
    'ends no process when a foreign program holds the lock and names process %s',
    async (named) => {
      const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
      const pid = processes.note(bystander.pid);
      const server = createServer((socket) => {
        socket.end(`${named.startsWith('of') ? pid : named} start ready`);
      });
      await new Promise<void>((resolve) => server.listen(addressOf(lockOf(state)), resolve));
      const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      expect(await stop(state)).toBe(1);
      expect(String(complaints.mock.calls[0]?.[0])).toContain('another program holds the lock of');
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
      server.close();
    },
  );

  it('reports its own result when several run after a killed start', async () => {
    const part = likePart('worker', state);
    const gone = new Promise((resolve) => part.once('exit', resolve));
    processes.note(part.pid);
    expect(await Promise.all([stop(state), stop(state), stop(state)])).toEqual([0, 0, 0]);
    await gone;
    const words =
      /^(process \d+ runs trustcheck stop here; waiting for it|stopped( what .+)?|nothing .+)\n$/;
    for (const line of said) expect(line).toMatch(words);
  });
});
