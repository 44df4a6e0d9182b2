import { createHash, type X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { faultOf } from '../../../activities/affidavit/fault.ts';
import { ThreadLost } from '../../../activities/runtime/threads/thread-lost.ts';
import { asApplicationFailure } from '../../../workers/interceptors.ts';
import { doneHere } from '../../../workers/threads/heavy-work.ts';
import { createThreads, type Threads } from '../../../workers/threads/pool.ts';
import { Failure } from '../../../workflows/failures.ts';
import { denseContent, lightContent } from '../../support/fixtures/affidavits/contents.ts';
import { CancelledFailure } from '@temporalio/common';
import { cancellation } from '../../../activities/runtime/cancellation.ts';
import { activityEnvironment } from '../../support/checks/activity-environment.ts';

const made: Threads[] = [];
const threads = (options: Partial<Parameters<typeof createThreads>[0]> = {}) => {
  const broken: unknown[] = [];
  const onBroken = (error: unknown) => void broken.push(error);
  const own = createThreads({ threadsMax: 1, onBroken, ...options });
  made.push(own);
  return Object.assign(own, { broken });
};
afterAll(() => Promise.all(made.map(({ stop }) => stop())));

const ending = { entry: new URL('ending-thread.ts', import.meta.url), heapMbMax: 32 };
const told = (own: Threads, way: string) => own.renderAffidavit({ ...lightContent, title: way });
const faultIn = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('the threads of a worker', () => {
  it('render and verify an affidavit with the same result as the main thread', async () => {
    const own = threads();
    await own.ready();
    const [here, there] = await Promise.all([
      doneHere.renderAffidavit(denseContent),
      own.renderAffidavit(denseContent),
    ]);
    expect(sha256(there)).toBe(sha256(here));
    const roots: X509Certificate[] = [];
    const verdict = await own.verifyAffidavit(Buffer.from(there), roots, new Date());
    expect(verdict).toEqual(await doneHere.verifyAffidavit(here, roots, new Date()));
    expect(verdict).toMatchObject({ result: 'invalid', facts: { sha256: sha256(here) } });
    const wrong = faultIn(own.renderAffidavit({ ...lightContent, issued_at: 'never' }));
    expect(await wrong).toMatchObject({ name: 'ZodError', message: /issued_at/ });
  });

  it('report the cause when they cannot start', async () => {
    const own = threads({ entry: new URL('unfit-thread.ts', import.meta.url) });
    expect(await faultIn(own.ready())).toMatchObject({
      name: 'ThreadLost',
      cause: { message: 'this thread cannot begin' },
    });
  });

  it('see no environment variable of the process except the compile cache', async () => {
    expect(Object.keys(process.env)).not.toEqual([]);
    const cache = mkdtempSync(join(tmpdir(), 'trustcheck-compiled-'));
    // Only set for the process where it has no cache yet.
    enableCompileCache(cache);
    const kept = dirname(getCompileCacheDir() ?? '');
    const env = await told(threads(ending), 'tells its surroundings');
    expect(JSON.parse(new TextDecoder().decode(env))).toEqual({ NODE_COMPILE_CACHE: kept });
    rmSync(cache, { recursive: true, force: true });
  });

  it.each([
    ['runs out of memory', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
    ['exits', { message: 'worker exited with code: 7' }],
    ['throws outside of its task', { message: 'nobody catches this' }],
  ])(
    'fail only the task of a thread that %s, retryably, and replace the thread',
    async (way, cause) => {
      const own = threads(ending);
      await own.ready();
      const [lost, other] = await Promise.all([faultIn(told(own, way)), own.ready()]);
      expect([lost, other]).toEqual([expect.any(ThreadLost), undefined]);
      expect(lost).toMatchObject({ message: 'a thread was lost at its task', cause });
      // The workflow counts the attempts of an affidavit; the server retries a report.
      expect(faultOf(lost)).toMatchObject({ code: 'affidavit_unmakeable', cause: lost });
      expect(asApplicationFailure(lost)).toBe(lost);
      expect(await own.ready()).toBeUndefined();
    },
  );

  it('end and replace a thread that takes too long', async () => {
    const own = threads({ ...ending, taskMsMax: 2_000 });
    await own.ready();
    expect(await faultIn(told(own, 'spins'))).toMatchObject({
      name: 'ThreadLost',
      message: 'a thread was lost after 2000 ms',
    });
  });

  it('stop canceled work, and continue with the next task', async () => {
    const own = threads(ending);
    await own.ready();
    const unwanted = new AbortController();
    const [running, waiting] = cancellation.run(unwanted.signal, () => [
      faultIn(told(own, 'spins')),
      faultIn(told(own, 'spins')),
    ]);
    const next = own.ready();
    unwanted.abort(new Error('canceled'));
    for (const fault of [await running, await waiting]) {
      expect(fault).toMatchObject({ name: 'AbortError' });
      expect(faultOf(fault)).toBe(fault);
    }
    expect(await next).toBeUndefined();
  });

  it.each<[string, (own: Threads) => Promise<unknown>, (own: Threads) => Promise<unknown>]>([
    ['makes documents', (own) => told(own, 'spins'), (own) => own.ready()],
    [
      'reads photographs',
      (own) => own.takeFaces({ portrait: new Uint8Array(1), frames: [] }),
      (own) => own.takeDocument({ front: new Uint8Array(1) }),
    ],
  ])('free a thread that %s when its activity is canceled', async (_what, endless, next) => {
    const own = threads(ending);
    await own.ready();
    const environment = activityEnvironment();
    const running = environment.run(() => endless(own));
    const waiting = next(own);
    environment.cancel();
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    await waiting;
  });

  it('refuse a task when too many wait', async () => {
    const own = threads(ending);
    await own.ready();
    const unwanted = new AbortController();
    const taken = cancellation.run(unwanted.signal, () =>
      Array.from({ length: 5 }, () => faultIn(told(own, 'spins'))),
    );
    const refused = await faultIn(told(own, 'spins'));
    expect(refused).toMatchObject({ code: 'dependency_unavailable' });
    expect(faultOf(refused)).toBe(refused);
    unwanted.abort();
    expect(await Promise.all(taken)).toHaveLength(5);
  });

  it('use separate threads for photographs, half as many, so that few hold decoders', async () => {
    for (const [threadsMax, readers] of [
      [1, 1],
      [3, 1],
      [4, 2],
    ] as const) {
      const own = threads({ ...ending, threadsMax });
      const front = new Uint8Array(1);
      const reads = await Promise.all(
        Array.from({ length: readers * 4 }, () => own.takeDocument({ front })),
      );
      expect(new Set(reads).size).toBeLessThanOrEqual(readers);
      const busy = Array.from({ length: threadsMax }, () => faultIn(told(own, 'spins')));
      expect(reads).toContain(await own.takeDocument({ front }));
      await own.stop();
      await Promise.all(busy);
    }
  });

  it.each([
    [
      'a failure',
      { code: 'affidavit_invalid', message: 'the words', retryAfterSeconds: 7 },
      { message: 'no such file', code: 'ENOENT', syscall: 'open' },
    ],
    ['an error of the system', { message: 'full', code: 'ENOSPC', syscall: 'write' }, undefined],
    ['what is no error', { message: 'a text' }, undefined],
  ])('pass on %s with message, code, stack and cause', async (what, fault, cause) => {
    const error = await faultIn(told(threads(ending), `answers with ${what}`));
    expect(error).toMatchObject(fault);
    expect(error).toMatchObject({ stack: expect.any(String) });
    expect(Object(error).cause).toEqual(cause && expect.objectContaining(cause));
    expect(error instanceof Failure).toBe(what === 'a failure');
  });

  it('leave nothing running when they are stopped', async () => {
    const own = threads(ending);
    await own.ready();
    const running = faultIn(told(own, 'spins'));
    await own.stop();
    expect(await running).toBeInstanceOf(ThreadLost);
  });
});
