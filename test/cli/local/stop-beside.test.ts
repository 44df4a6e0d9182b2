import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockFile } from '../../../cli/data-directory/state.ts';
import { stop } from '../../../cli/local/stop.ts';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { openLedger } from '../../../cli/platform/ledger.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

const processes = ownProcesses();
const said: string[] = [];
let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';

beforeEach(async () => {
  directory = await ownDirectory();
  state = join(directory.path, 'state');
  mkdirSync(state);
  said.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  processes.end();
  await directory.remove();
});

/** A process as a ledger notes it, and its end. */
function sleeper() {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const pid = processes.note(child.pid);
  return { noted: { pid, beginning: beginningOf(pid) ?? '' }, gone };
}

const write = (content: unknown): void =>
  writeFileSync(
    lockFile(state),
    JSON.stringify({ isReady: true, children: [], ...Object(content) }),
  );

describe('a stop beside somebody else', () => {
  it.each([
    ['stop', 'is ending what a killed start has left'],
    ['reset', 'is forgetting all state'],
  ] as const)('a %s, says whom it waits for, and 0 once nothing runs', async (work, words) => {
    const ledger = await openLedger(lockFile(state), work);
    const stopped = stop(state);
    await eventually('a word about it', async () => said.length > 0);
    await ledger.close();
    expect(await stopped).toBe(0);
    expect(said).toEqual([`process ${process.pid} ${words}; waiting for it\n`, 'stopped\n']);
  });

  it('a start that has begun meanwhile, says so and ends it', async () => {
    await openLedger(lockFile(state), 'stop');
    const stopped = stop(state);
    await eventually('a word about it', async () => said.length > 0);
    const { noted, gone } = sleeper();
    write({ owner: noted });
    expect(await stopped).toBe(0);
    await gone;
    expect(said.slice(1)).toEqual([
      `process ${noted.pid} has begun meanwhile; ending it\n`,
      'stopped\n',
    ]);
  });

  it('others over what a killed start has left: each says what became of it', async () => {
    const { noted, gone } = sleeper();
    const children = [{ name: 'worker', ...noted }];
    write({ owner: { pid: 4_000_000, beginning: 'once' }, children });
    expect(await Promise.all([stop(state), stop(state), stop(state)])).toEqual([0, 0, 0]);
    await gone;
    const words = /^(process \d+ is ending what .+; waiting for it|stopped( what .+)?)\n$/;
    for (const line of said) expect(line).toMatch(words);
    expect(readdirSync(state)).toEqual([]);
  });
});
