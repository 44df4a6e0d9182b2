import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../../cli/platform/ports.ts';
import {
  killAndRestart,
  openFleet,
  togetherMs,
  type Fleet,
  type Member,
} from '../../../support/platform/fleet.ts';
import { createPlatform } from '../../../support/platform/harness.ts';
import { startProxy } from '../../../support/platform/proxy.ts';
import { rehearse } from '../campaign.ts';
import { openField, type Field } from '../field.ts';
import { faultsOf } from '../outcome.ts';

export interface ScaledResult {
  /** Differences to undisturbed checks, one per line. */
  readonly faults: readonly string[];
  /** Checks that passed while processes were killed. */
  readonly checks: number;
  readonly kills: number;
  /** Number of requests that each API answered. */
  readonly answered: readonly number[];
}

/** Checks that run at the same time. */
const lanes = 4;

/**
 * Runs checks without a break on two APIs and two workers behind one proxy, and kills (`kill -9`)
 * and restarts each process in turn. Then compares everything that is left with an undisturbed
 * check. Clients know only the address of the proxy, and retry as docs/guides/api.md says.
 */
export async function runScaled(
  directory: string,
  rounds: number,
  say: (line: string) => void,
): Promise<ScaledResult> {
  const [first, second] = [await freePort(), await freePort()];
  const backends = [first, second].map((port) => `http://127.0.0.1:${port}`);
  const proxy = await startProxy({ backends });
  const behind = { BASE_URL: proxy.url, PORT: String(first), TRUSTED_PROXIES: 'loopback' };
  const platform = await createPlatform(directory, say, behind);
  let fleet: Fleet | null = null;
  let field: Field | null = null;
  try {
    fleet = await openFleet(platform, { secondPort: second, workers: 2 });
    field = await openField(platform, platform.facts.own);
    const rehearsal = await rehearse(field);
    const kills = await killInTurn(fleet.members, field, rounds, say);
    const faults = await faultsOf(field, rehearsal);
    return { faults, checks: field.checks.length, kills, answered: proxy.answered() };
  } finally {
    await field?.stop();
    await fleet?.stop();
    await platform.stop();
    await proxy.stop();
  }
}

async function killInTurn(
  members: readonly Member[],
  field: Field,
  rounds: number,
  say: (line: string) => void,
): Promise<number> {
  const over = new AbortController();
  const lane = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const check = field.addCheck();
      // `faultsOf` reports failures: it reads how every check ended.
      await check.goOn(null).catch(() => undefined);
    }
  };
  const running = Array.from({ length: lanes }, lane);
  let kills = 0;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const member of members) {
        await sleep(togetherMs);
        const begun = field.checks.length;
        await killAndRestart(member);
        kills += 1;
        say(`round ${round}: kill -9 of a ${member.name}, ${begun} checks begun before`);
      }
    }
    await sleep(togetherMs);
  } finally {
    over.abort();
    await Promise.all(running);
  }
  return kills;
}
