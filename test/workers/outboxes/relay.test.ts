import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { relayOutboxes } from '../../../workers/outboxes/relay.ts';
import { createDatabase, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const channel = 'a_relay_of_a_test';
const log = pino({ enabled: false });
/** Shorter than the interval of a sweep: so soon, only a notification can be the cause. */
const soonMs = 3_000;

let db: Db;
let url = '';
let drop: () => Promise<void>;
let relay: { stop: () => Promise<void> } | null = null;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterEach(async () => relay?.stop());
afterAll(() => drop());

const notify = () => db.query('SELECT pg_notify($1, $2)', [channel, '']);
const listeners = async (): Promise<number[]> => {
  const { rows } = await db.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
       AND application_name = 'trustcheck-relay' AND query LIKE 'LISTEN%'`,
  );
  return rows.map(({ pid }) => pid);
};

function start(drain: (signal: AbortSignal) => Promise<void>): void {
  relay = relayOutboxes(log, url, [{ channel, countedAs: null, drain }]);
}

describe('a relay', () => {
  it('sweeps when it starts, on a notification, and after it reconnects', async () => {
    let looks = 0;
    start(async () => {
      looks += 1;
    });
    await eventually('the first looks', async () => looks >= 1 && (await listeners()).length === 1);
    const before = looks;
    await notify();
    await eventually('a look at a notification', async () => looks > before, soonMs);
    const [pid] = await listeners();
    const untilBreak = looks;
    await db.query('SELECT pg_terminate_backend($1)', [pid]);
    await eventually('a look after the break', async () => looks > untilBreak, soonMs);
    await eventually('another listener', async () =>
      (await listeners()).some((one) => one !== pid),
    );
    const untilNotice = looks;
    await notify();
    await eventually('a look at what it hears anew', async () => looks > untilNotice, soonMs);
  });

  it('runs one sweep at a time, and one more for notifications during it', async () => {
    let now = 0;
    let most = 0;
    let ended = 0;
    start(async () => {
      now += 1;
      most = Math.max(most, now);
      await sleep(50);
      now -= 1;
      ended += 1;
    });
    await eventually('a listener', async () => (await listeners()).length === 1);
    await eventually('rest', async () => now === 0 && ended > 0);
    const before = ended;
    await Promise.all(Array.from({ length: 40 }, notify));
    await eventually('two more looks', async () => ended >= before + 2, soonMs);
    expect(most).toBe(1);
    expect(ended).toBeLessThan(before + 40);
  });

  it('continues after a failed sweep, and waits for the running one when it stops', async () => {
    let looks = 0;
    let isRunning = false;
    start(async () => {
      looks += 1;
      if (looks === 1) throw new Error('the store is away');
      isRunning = true;
      await sleep(200);
      isRunning = false;
    });
    await eventually('a look after the fault', async () => isRunning, 8_000);
    await relay?.stop();
    expect(isRunning).toBe(false);
    const stopped = looks;
    await notify();
    await sleep(300);
    expect(looks).toBe(stopped);
  });

  it('stops although the work never ends', async () => {
    let done = 0;
    start(async (signal) => {
      while (!signal.aborted) {
        await sleep(1);
        done += 1;
      }
    });
    await eventually('work', async () => done > 5);
    await relay?.stop();
    const stopped = done;
    await sleep(50);
    expect(done).toBe(stopped);
  });
});
