import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { asApplicationFailure, beat } from '../../../workers/interceptors.ts';
import { Failure } from '../../../workflows/failures.ts';
import { countWorkerCrash } from '../../../activities/runtime/threads/worker-crashes.ts';
import { activityEnvironment } from '../../support/checks/activity-environment.ts';

describe('a failure of an activity', () => {
  it('has its code on the workflow server, and is retryable when waiting helps', () => {
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

  it('stays unchanged when it is not a Failure', () => {
    const error = new Error('socket hang up');
    expect(asApplicationFailure(error)).toBe(error);
  });
});

describe('a long activity', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends three heartbeats within its timeout, and none after its end', () => {
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

  it('sends no heartbeat without a timeout', () => {
    vi.useFakeTimers();
    let beats = 0;
    beat(undefined, () => (beats += 1));
    vi.advanceTimersByTime(60_000);
    expect(beats).toBe(0);
  });
});

describe('an activity in its context', () => {
  const aborted = new DOMException('This operation was aborted', 'AbortError');

  it('reports each lost thread in a heartbeat, and continues the count in the next attempt', async () => {
    const lostAfter = async (heartbeatDetails: unknown) => {
      const beats: unknown[] = [];
      const environment = activityEnvironment({ heartbeatDetails });
      environment.on('heartbeat', (details) => beats.push(details));
      const counts: number[] = await environment.run(async () => [
        countWorkerCrash(),
        countWorkerCrash(),
      ]);
      expect(beats).toEqual(counts.map((lost_threads) => ({ lost_threads })));
      return counts;
    };
    // The first attempt has no details; unknown details of another build count as none.
    for (const before of [undefined, 7, { lost_threads: -1 }]) {
      expect(await lostAfter(before)).toEqual([1, 2]);
    }
    expect(await lostAfter({ lost_threads: 2 })).toEqual([3, 4]);
  });

  it('sends the count of lost threads with every heartbeat', async () => {
    vi.useFakeTimers();
    const beats: unknown[] = [];
    const environment = activityEnvironment({ heartbeatTimeoutMs: 10_000 });
    environment.on('heartbeat', (details) => beats.push(details));
    await environment.run(async () => {
      await vi.advanceTimersByTimeAsync(3_000);
      countWorkerCrash();
      await vi.advanceTimersByTimeAsync(3_000);
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(beats).toEqual([0, 1, 1].map((lost_threads) => ({ lost_threads })));
    vi.useRealTimers();
  });

  it('is reported as canceled after a cancellation, whatever error it throws', async () => {
    const thrown = [aborted, new Failure('dependency_unavailable'), new Error('socket hang up')];
    for (const error of thrown) {
      const environment = activityEnvironment();
      const running = environment.run(async () => {
        environment.cancel();
        throw error;
      });
      await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    }
  });

  it('fails with its own error when it is not canceled', async () => {
    const failing = activityEnvironment().run(() => Promise.reject(aborted));
    await expect(failing).rejects.toBe(aborted);
  });

  it('succeeds when it finishes in spite of its cancellation', async () => {
    const environment = activityEnvironment();
    const result = environment.run(async () => {
      environment.cancel();
      return 'done';
    });
    expect(await result).toBe('done');
  });
});
