import { afterAll, expect, test } from 'vitest';
import { readFacesInThread } from '../../../../activities/proofs/face/face-thread.ts';
import { ThreadLost } from '../../../../activities/runtime/threads/thread-lost.ts';
import { createThreads } from '../../../../workers/threads/pool.ts';
import { havingLost } from '../../../support/checks/losing.ts';

const entry = new URL('ending-thread.ts', import.meta.url);
const threads = createThreads({ threadsMax: 1, onBroken: () => undefined, entry });
afterAll(() => threads.stop());

const image = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const told = (lost: number, portrait: string, frame: string) =>
  havingLost(lost, () =>
    readFacesInThread(threads, {
      portrait: image(portrait),
      frames: [{ image: image(frame) }],
    }).catch((error: unknown) => (error instanceof ThreadLost ? 'lost' : error)),
  );

// If the thread is still lost, the workflow sends the check to review, as for any lost judge.
test.each<[string, number, string, string, unknown]>([
  ['readable frames are returned', 9, 'p', 'f', { read: 1 }],
  ['frames that end one thread are retried', 0, 'p', 'x', 'lost'],
  ['frames that end two threads are retried', 1, 'p', 'x', 'lost'],
  ['frames that end three threads are refused if the portrait ends none', 2, 'p', 'x', null],
  ['a portrait that ends threads is retried', 2, 'x', 'f', 'lost'],
])('%s (%d lost before)', async (_, lost, portrait, frame, outcome) => {
  expect(await told(lost, portrait, frame)).toEqual(outcome);
});

test('frames that take too long are not rejected, since a busy machine is slow for all', async () => {
  const lost = new ThreadLost('late', { cause: null, isLate: true });
  const busy = { takeFaces: () => Promise.reject(lost) };
  const given = { portrait: image('p'), frames: [{ image: image('f') }] };
  await expect(havingLost(9, () => readFacesInThread(busy, given))).rejects.toBe(lost);
});
