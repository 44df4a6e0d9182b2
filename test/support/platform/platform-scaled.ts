import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { freePort } from '../../../cli/platform/ports.ts';
import { killAndRestart, openFleet, togetherMs, type Member } from './fleet.ts';
import type { TestPlatform } from './harness.ts';
import { providePlatform } from './platform.ts';
import { startProxy } from './proxy.ts';

/**
 * Starts the platform with two APIs and two workers behind one proxy. Kills (`kill -9`) and
 * restarts each process in turn until the tests end.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [first, second] = [await freePort(), await freePort()];
  const backends = [first, second].map((port) => `http://127.0.0.1:${port}`);
  const proxy = await startProxy({ backends });
  const behind = { BASE_URL: proxy.url, PORT: String(first) };
  const disturb = async (platform: TestPlatform): Promise<() => Promise<void>> => {
    const fleet = await openFleet(platform, { secondPort: second, workers: 2 });
    const over = new AbortController();
    const killing = killInTurn(fleet.members, over.signal);
    return async () => {
      over.abort();
      const kills = await killing;
      await fleet.stop();
      process.stderr.write(`${kills} kills; requests by API: ${proxy.answered().join(' and ')}\n`);
      if (kills < fleet.members.length) throw new Error('not every process was killed');
    };
  };
  const stop = await providePlatform(project, behind, () => Promise.resolve(), disturb);
  return async () => {
    await stop();
    await proxy.stop();
  };
}

async function killInTurn(members: readonly Member[], signal: AbortSignal): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    await sleep(togetherMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return kills;
    const member = members[kills % members.length];
    if (member) await killAndRestart(member);
  }
}
