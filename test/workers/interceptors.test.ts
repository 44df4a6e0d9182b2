import { ApplicationFailure } from '@temporalio/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancellation } from '../../activities/runtime/cancellation.ts';
import { losses } from '../../activities/runtime/threads/losses.ts';
import { asApplicationFailure, beat, interceptors } from '../../workers/interceptors.ts';
import { Failure } from '../../workflows/failures.ts';

describe('a failure of an activity', () => {
  it('reaches the workflow server under its code, retryable where waiting helps', () => {
    const rejected = asApplicationFailure(new Failure('mail_rejected'));
    expect(rejected).toBeInstanceOf(ApplicationFailure);
    expect(rejected).toMatchObject({ type: 'mail_rejected', nonRetryable: true });
    const away = asApplicationFailure(
      new Failure('dependency_unavailable', { retryAfterSeconds: 7 }),
    );
    expect(away).toMatchObject({
      type: 'dependency_unavailable',
      nonRetryable: false,
      nextRetryDelay: 7000,
    });
  });

  it('that is not ours passes as it is', () => {
    const error = new Error('socket hang up');
    expect(asApplicationFailure(error)).toBe(error);
  });
});

describe('an activity that lasts', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('beats thrice within its time-out, not before, and no more once it is done', () => {
    vi.useFakeTimers();
    let beats = 0;
    const stop = beat(10_000, () => (beats += 1));
    vi.advanceTimersByTime(2_999);
    expect(beats).toBe(0);
    vi.advanceTimersByTime(7_000);
    expect(beats).toBe(3);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(beats).toBe(3);
  });

  it('does not beat where nobody listens', () => {
    vi.useFakeTimers();
    let beats = 0;
    beat(undefined, () => (beats += 1));
    vi.advanceTimersByTime(60_000);
    expect(beats).toBe(0);
  });
});

it('what an activity does can ask whether it is still wanted, and count the threads it loses', async () => {
  const [make] = interceptors.activity ?? [];
  const unwanted = new AbortController();
  const cancellationSignal = unwanted.signal;
  const beats: unknown[] = [];
  const heartbeat = (details: unknown): void => void beats.push(details);
  async function told(heartbeatDetails: unknown): Promise<unknown> {
    const context = { info: { attempt: 3, heartbeatDetails }, cancellationSignal, heartbeat };
    const { inbound } = make?.(context as unknown as Parameters<typeof make>[0]) ?? {};
    return inbound?.execute?.({ args: [], headers: {} }, async () => [
      cancellation.getStore(),
      losses.getStore()?.add(),
      losses.getStore()?.add(),
    ]);
  }
  // The first attempt has no details, and none of a worker of another build says more.
  for (const before of [undefined, 7, { lost_threads: -1 }]) {
    expect(await told(before)).toEqual([unwanted.signal, 1, 2]);
  }
  expect(await told({ lost_threads: 2 })).toEqual([unwanted.signal, 3, 4]);
  expect(beats.slice(-2)).toEqual([{ lost_threads: 3 }, { lost_threads: 4 }]);
  expect([cancellation.getStore(), losses.getStore()]).toEqual([undefined, undefined]);
});
