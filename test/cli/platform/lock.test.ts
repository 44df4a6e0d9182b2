import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as locks from '../../../cli/platform/lock.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

const program = new URL('hold-lock.ts', import.meta.url).pathname;
const processes = ownProcesses();
let name = '';
beforeEach(() => {
  name = randomUUID();
});
afterEach(() => processes.end());

async function take(): Promise<locks.Lock> {
  const lock = await locks.takeLock(name);
  if ('pid' in lock) throw new Error(`held by process ${lock.pid}`);
  return lock;
}

/** Spawns a process that takes the lock, and returns what it prints. */
async function hold(): Promise<{ child: ChildProcess; word: string }> {
  const child = spawn(process.execPath, [program, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.note(child.pid);
  let said = '';
  child.stdout.on('data', (part: Buffer) => {
    said += part.toString();
  });
  await eventually('a word of the process', async () => said.includes('\n'));
  return { child, word: said.trim() };
}

describe('a lock', () => {
  it('is held by one process at a time, and names that process', async () => {
    const first = await take();
    const holder = { pid: process.pid, work: 'start', isReady: false };
    expect(await locks.takeLock(name, 'stop')).toEqual(holder);
    first.setReady();
    expect(await locks.readLock(name)).toEqual({ ...holder, isReady: true });
    first.release();
    expect(await locks.readLock(name)).toBeNull();
    (await take()).release();
  });

  it('is free as soon as its process is killed', async () => {
    const { child, word } = await hold();
    expect(word).toBe('held');
    await expect(take()).rejects.toThrow(`held by process ${child.pid}`);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    expect(await locks.readLock(name)).toBeNull();
    (await take()).release();
  });

  it('is acquired by exactly one of four concurrent processes', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => hold()));
    const holders = all.filter(({ word }) => word === 'held');
    expect(holders).toHaveLength(1);
    const refused = `refused ${holders[0]?.child.pid}`;
    expect(all.filter(({ word }) => word === refused)).toHaveLength(3);
  });

  it('runs tasks one after the other, and reports the holder once per waiting task', async () => {
    const lock = await take();
    const said: number[] = [];
    const done: string[] = [];
    const task = (word: string) =>
      locks.withLock(
        name,
        (pid) => void said.push(pid),
        async () => done.push(word),
      );
    const tasks = ['one', 'two'].map(task);
    await eventually('two that wait', async () => said.length === 2);
    expect([said, done]).toEqual([[process.pid, process.pid], []]);
    lock.release();
    await Promise.all(tasks);
    expect(done.toSorted()).toEqual(['one', 'two']);
    expect(await locks.readLock(name)).toBeNull();
  });

  it.each<[string, (socket: Socket) => void]>([
    ['answers nothing', (socket) => socket.end()],
    [
      'answers without an end',
      (socket) => {
        const timer = setInterval(() => socket.write('1 '), 1);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('is not waited for when its holder is a program that %s', async (_, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(locks.addressOf(name), resolve));
    expect(await locks.readLock(name)).toBeNull();
    const taken = locks.takeLock(name, 'start', 300);
    await expect(taken).rejects.toThrow(`another program holds the lock ${name}`);
    server.close();
  });

  it('has the same name for every path to a directory', async () => {
    const { path, remove } = await ownDirectory();
    const link = join(path, 'link');
    symlinkSync(path, link);
    expect(locks.lockOf(link)).toBe(locks.lockOf(path));
    await remove();
  });
});
