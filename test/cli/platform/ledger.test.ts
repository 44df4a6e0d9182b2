import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginningOf, commandOf } from '../../../cli/platform/identity.ts';
import { AlreadyRunning, openLedger, readLedger } from '../../../cli/platform/ledger.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

const holder = new URL('hold-lock.ts', import.meta.url).pathname;
const processes = ownProcesses();
let directory = { path: '', remove: async (): Promise<void> => undefined };
let lock = '';

beforeEach(async () => {
  directory = await ownDirectory();
  lock = join(directory.path, 'lock.json');
});
afterEach(async () => {
  processes.end();
  await directory.remove();
});

function sleeper(...names: string[]): number {
  const child = spawn('sh', ['-c', 'sleep 600; :', ...names], { stdio: 'ignore', detached: true });
  return processes.note(child.pid);
}

/** A process that takes the lock: its word for it, and the process it has started. */
async function hold(): Promise<{ child: ChildProcess; word: string; pid: number }> {
  const child = spawn(process.execPath, [holder, lock], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (part: Buffer) => {
    said += part.toString();
  });
  await eventually('a word of the holder', async () => said.includes('\n'));
  const [word = '', pid = ''] = said.trim().split(' ');
  processes.note(child.pid);
  if (word === 'held') processes.note(Number(pid));
  return { child, word, pid: Number(pid) };
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

const write = (content: unknown): void =>
  writeFileSync(lock, typeof content === 'string' ? content : JSON.stringify(content));

describe('a ledger', () => {
  it('is held by one process at a time, and names it', async () => {
    const first = await openLedger(lock);
    const refused = await openLedger(lock).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AlreadyRunning);
    expect(refused).toMatchObject({ pid: process.pid, isReady: false });
    first.setReady();
    expect(readLedger(lock)).toMatchObject({ owner: { pid: process.pid }, isReady: true });
    await first.close();
    expect(readLedger(lock)).toBeNull();
    await (await openLedger(lock)).close();
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('of a killed process is taken over, and what that had started is ended', async () => {
    const { child, word, pid } = await hold();
    expect(word).toBe('held');
    await expect(openLedger(lock)).rejects.toBeInstanceOf(AlreadyRunning);
    await killed(child);
    expect(commandOf(pid)).toBe('sleep 600');
    expect(readLedger(lock)).toBeNull();
    const ledger = await openLedger(lock);
    expect(beginningOf(pid)).toBeNull();
    await ledger.close();
  });

  it('left behind is taken over by exactly one of many that try at once', async () => {
    const { child } = await hold();
    await killed(child);
    const all = await Promise.all(Array.from({ length: 4 }, () => hold()));
    const holders = all.filter(({ word }) => word === 'held');
    expect(holders).toHaveLength(1);
    const owner = holders[0]?.child.pid;
    expect(all.filter(({ word }) => word === 'refused').map(({ pid }) => pid)).toEqual(
      Array.from({ length: 3 }, () => owner),
    );
    expect(readLedger(lock)?.owner.pid).toBe(owner);
  });

  it('never ends a process that merely has the id of one it had started', async () => {
    const pid = sleeper();
    const [boot = '', ticks = ''] = (beginningOf(pid) ?? '').split(':');
    const dead = { pid: 2 ** 22 - 1, beginning: 'long ago' };
    for (const beginning of [`${boot}:1${ticks}`, `another-boot:${ticks}`, '', null]) {
      write({ owner: dead, isReady: true, children: [{ name: 'api', pid, beginning }] });
      await (await openLedger(lock)).close();
      expect(commandOf(pid)).toContain('sleep 600');
    }
  });

  it('is not held by a process that merely has the id of its owner', async () => {
    write({ owner: { pid: sleeper(), beginning: 'long ago' }, isReady: true, children: [] });
    expect(readLedger(lock)).toBeNull();
    await (await openLedger(lock)).close();
  });

  it.each(['', '{', 'null', '[]', '{"owner":7}', '12', '{"owner":{"pid":"x"},"children":{}}'])(
    'that holds %j is nobody’s',
    async (content) => {
      write(content);
      expect(readLedger(lock)).toBeNull();
      const ledger = await openLedger(lock);
      expect(readLedger(lock)?.owner.pid).toBe(process.pid);
      await ledger.close();
    },
  );

  it('kills at once, and whatever is started after it was closed', async () => {
    const ledger = await openLedger(lock);
    const [early, late] = [sleeper(), sleeper()];
    ledger.add('api', early);
    ledger.kill();
    ledger.add('worker', late);
    await eventually('both gone', async () => !beginningOf(early) && !beginningOf(late));
    expect(readdirSync(dirname(lock))).not.toContain(basename(lock));
  });

  it('ends those that use a server before the server', async () => {
    const ledger = await openLedger(lock);
    const order: string[] = [];
    for (const name of ['postgres', 'temporal', 'worker', 'go']) {
      const script = 'trap "exit 0" TERM INT; while :; do sleep 0.02; done';
      const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true });
      child.once('exit', () => order.push(name));
      ledger.add(name, processes.note(child.pid));
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    await ledger.close();
    await eventually('all gone', async () => order.length === 4);
    // One process hears of two ends of one moment in any order.
    expect(order.slice(0, 2).toSorted()).toEqual(['go', 'worker']);
    expect(order.slice(2)).toEqual(['temporal', 'postgres']);
  });
});
