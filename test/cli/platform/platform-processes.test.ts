import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { beginningOf } from '../../../cli/platform/identity.ts';
import {
  endLeft,
  findProcesses,
  killLeft,
  namesOf,
} from '../../../cli/platform/platform-processes.ts';
import { ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';
import { likePart } from './like-part.ts';

const processes = ownProcesses();
afterEach(() => processes.end());
/** Does not exist: processes are found by their command line alone. */
const state = `/nowhere/${process.pid}`;

/** Runs a foreign command line, and returns its process id. */
function foreign(...words: string[]): number {
  const child = spawn('sh', ['-c', 'sleep 600; :', ...words], { stdio: 'ignore', detached: true });
  return processes.note(child.pid);
}

describe('the parts left of a platform', () => {
  it('are ended before the servers that they use', async () => {
    const order: string[] = [];
    const begun = ['postgres', 'temporal', 'worker', 'api'].map((name) => {
      const part = likePart(name, state);
      part.once('exit', () => order.push(name));
      const handlesSignals = once(part.stdout ?? part, 'data');
      return { name, pid: processes.note(part.pid), handlesSignals };
    });
    await eventually('all of them', async () => findProcesses(state).length === 4);
    for (const { name, pid } of begun) {
      expect(namesOf(findProcesses(state))).toContain(`${name} (process ${pid})`);
    }
    await Promise.all(begun.map(({ handlesSignals }) => handlesSignals));
    await endLeft(state);
    await eventually('all gone', async () => order.length === 4);
    expect(order.slice(0, 2).toSorted()).toEqual(['api', 'worker']);
    expect(order.slice(2)).toEqual(['temporal', 'postgres']);
    expect(findProcesses(state)).toEqual([]);
  });

  it('are killed at once when they do not end', async () => {
    const pid = processes.note(likePart('temporal', state).pid);
    await eventually('the part', async () => findProcesses(state).length === 1);
    process.kill(pid, 'SIGSTOP');
    killLeft(state);
    await eventually('its end', async () => beginningOf(pid) === null);
  });

  it('never include a process of another program or another directory', async () => {
    const other = processes.note(likePart('worker', `${state}-other`).pid);
    const begun = [
      foreign('tail', join(state, 'temporal.db')),
      foreign('ls', state),
      foreign('/x/api/main.ts', `${state}/`),
      foreign(`--trustcheck.directory=${state}/postgres`),
    ];
    await eventually('the other part', async () => findProcesses(`${state}-other`).length === 1);
    expect(findProcesses(state)).toEqual([]);
    await endLeft(state);
    for (const pid of [other, ...begun]) expect(beginningOf(pid)).not.toBeNull();
  });
});
