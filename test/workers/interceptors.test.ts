import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { asApplicationFailure } from '../../workers/interceptors.ts';
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
