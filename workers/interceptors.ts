import { ApplicationFailure } from '@temporalio/common';
import type { WorkerInterceptors } from '@temporalio/worker';
import { Failure, failures } from '../workflows/failures.ts';

/**
 * A `Failure` of our own reaches the workflow server as an application failure of its code, so that
 * the retry policies can name it; a provider's Retry-After becomes the delay of the next attempt.
 * Faults of the caller (4xx) do not get better by trying again, but for those that say when.
 */
export function asApplicationFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { code, retryAfterSeconds } = error;
  const isTemporary = failures[code].status >= 500 || retryAfterSeconds !== undefined;
  return ApplicationFailure.create({
    type: code,
    message: failures[code].title,
    nonRetryable: !isTemporary,
    cause: error,
    ...(retryAfterSeconds === undefined ? {} : { nextRetryDelay: retryAfterSeconds * 1000 }),
  });
}

/** The interceptors of every worker. */
export const interceptors: WorkerInterceptors = {
  activity: [
    () => ({
      inbound: {
        async execute(input, next) {
          try {
            return await next(input);
          } catch (error) {
            throw asApplicationFailure(error);
          }
        },
      },
    }),
  ],
};
