import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { createReadiness } from '../../../activities/runtime/readiness.ts';
import { createHealthServer } from '../../../workers/health.ts';
import { createWorkerLog } from '../../../workers/log.ts';
import { createThreads } from '../../../workers/threads/pool.ts';
import { warmReaders } from '../../../workers/threads/warm-readers.ts';
import { eventually } from '../../support/platform/harness.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The readers of a worker, with its `/readyz` and its log. */
async function begin(entry?: URL) {
  const lines: string[] = [];
  const to = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createWorkerLog('info', to);
  const onBroken = (err: unknown): void => log.warn({ err }, 'a thread ended');
  const threads = createThreads({ threadsMax: 1, onBroken, ...(entry && { entry }) });
  const readers = warmReaders({ threads, log });
  const readiness = createReadiness({
    readers: async () => {
      if (!readers.isWarm()) throw new Error('cold');
    },
  });
  const health = createHealthServer(readiness, new Registry());
  health.listen(0, '127.0.0.1');
  await once(health, 'listening');
  ends.push(
    readers.stop,
    () => threads.stop(),
    () => health.close(),
  );
  const { port } = health.address() as AddressInfo;
  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    return [answer.status, await answer.json()];
  };
  return { lines, threads, ready };
}

const cold = [503, { status: 'failing', checks: { readers: false } }];
const warm = [200, { status: 'ok', checks: { readers: true } }];

describe('the threads that read photographs and faces', () => {
  it('are warm before the worker is ready', async () => {
    const { lines, ready } = await begin();
    expect(await ready()).toEqual(cold);
    await eventually('a warm reader', async () => (await ready())[0] === 200);
    expect(await ready()).toEqual(warm);
    expect(lines.join('')).toContain('photographs and faces can be read');
  });

  it('leave the worker running but not ready when they cannot start, and log the cause', async () => {
    const { lines, ready } = await begin(new URL('unfit-thread.ts', import.meta.url));
    const said = await eventually('words about it', async () =>
      lines.find((line) => line.includes('photographs and faces cannot be read')),
    );
    expect(said).toContain('this thread cannot begin');
    expect(await ready()).toEqual(cold);
  });
});
