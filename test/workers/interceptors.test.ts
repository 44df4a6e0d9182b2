import { ApplicationFailure } from '@temporalio/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { attempt } from '../../activities/threads/attempt.ts';
import { cancellation } from '../../activities/threads/cancellation.ts';
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

it('what an activity does can ask whether it is still wanted, and how often it was tried', async () => {
  const [make] = interceptors.activity ?? [];
  const unwanted = new AbortController();
  const context = { info: { attempt: 3 }, cancellationSignal: unwanted.signal };
  const { inbound } = make?.(context as Parameters<typeof make>[0]) ?? {};
  const asked = inbound?.execute?.({ args: [], headers: {} }, async () => [
    cancellation.getStore(),
    attempt.getStore(),
  ]);
  expect(await asked).toEqual([unwanted.signal, 3]);
  expect([cancellation.getStore(), attempt.getStore()]).toEqual([undefined, undefined]);
});
