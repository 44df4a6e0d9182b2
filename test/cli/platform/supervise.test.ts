import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as processes from '../../../cli/platform/processes.ts';
import { keepUp } from '../../../cli/platform/supervise.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
beforeAll(async () => {
  directory = await ownDirectory();
});
afterAll(() => directory.remove());

interface Part {
  readonly ended: Promise<void>;
}

/** Returns a part that runs a shell script, and the process ids of its starts. */
function shell(script: string): { launch: () => Promise<Part>; pids: number[] } {
  const pids: number[] = [];
  const launch = async (): Promise<Part> => {
    const child = processes.launch({
      name: 'part',
      program: 'sh',
      flags: ['-c', script],
      logFile: join(directory.path, 'part.log'),
    });
    pids.push(child.pid ?? 0);
    return { ended: processes.endOf(child) };
  };
  return { launch, pids };
}

describe('a supervised part', () => {
  it('is restarted after a kill, and not after a stop', async () => {
    const { launch, pids } = shell('exec sleep 600');
    const stop = new AbortController();
    const said: string[] = [];
    await keepUp({
      name: 'worker',
      launch,
      signal: stop.signal,
      say: (line) => said.push(line),
      onBroken: (error) => said.push(error.message),
    });
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await eventually('a second one', async () => pids.length === 2);
    expect(said).toEqual(['worker has ended unasked; starting it again']);
    stop.abort();
    process.kill(pids[1] ?? 0, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect([pids.length, said.length]).toEqual([2, 1]);
  });

  it('is given up when it ends four times in a minute', async () => {
    const { launch, pids } = shell('exit 1');
    const { signal } = new AbortController();
    const error = await new Promise((onBroken) => {
      void keepUp({ name: 'API', launch, signal, say: () => undefined, onBroken });
    });
    expect(String(error)).toContain('API has ended 4 times in a minute');
    expect(pids).toHaveLength(4);
  });

  it('is given up with the reason when it cannot be restarted', async () => {
    const { launch } = shell('exit 1');
    let launches = 0;
    const failing = async (): Promise<Part> => {
      launches += 1;
      if (launches === 1) return launch();
      throw new Error('port 5433 is taken');
    };
    const { signal } = new AbortController();
    const error = await new Promise((onBroken) => {
      const options = { name: 'PostgreSQL', launch: failing, signal, say: () => undefined };
      void keepUp({ ...options, onBroken });
    });
    expect(String(error)).toMatch(/PostgreSQL has ended.*\nport 5433 is taken$/);
    expect(launches).toBe(4);
  });
});
