import { afterAll, expect, test } from 'vitest';
import { takeInThread } from '../../../activities/face/take-in-thread.ts';
import { attempt } from '../../../activities/threads/attempt.ts';
import { createThreads, ThreadLost } from '../../../activities/threads/pool.ts';

const entry = new URL('ending-thread.ts', import.meta.url);
const threads = createThreads({ threadsMax: 1, onBroken: () => undefined, entry });
afterAll(() => threads.stop());

const image = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const told = (number: number, portrait: string, frame: string) =>
  attempt.run(number, () =>
    takeInThread(threads, { portrait: image(portrait), frames: [{ image: image(frame) }] }).catch(
      (error: unknown) => (error instanceof ThreadLost ? 'lost' : error),
    ),
  );

// The check goes to a person where it stays lost: the workflow says so of any judge that is away.
test.each<[string, number, string, string, unknown]>([
  ['frames that are read', 3, 'p', 'f', { read: 1 }],
  ['frames that end it twice', 2, 'p', 'x', 'lost'],
  ['frames that end it each time, of a portrait that does not', 3, 'p', 'x', null],
  ['a portrait that ends it', 3, 'x', 'f', 'lost'],
])('%s (attempt %d)', async (_, number, portrait, frame, outcome) => {
  expect(await told(number, portrait, frame)).toEqual(outcome);
});

test('frames that take too long are not blamed: on a busy machine all do', async () => {
  const lost = new ThreadLost('late', { cause: null, isLate: true });
  const busy = { takeFaces: () => Promise.reject(lost) };
  const given = { portrait: image('p'), frames: [{ image: image('f') }] };
  await expect(attempt.run(9, () => takeInThread(busy, given))).rejects.toBe(lost);
});
