import { ApplicationFailure } from '@temporalio/common';
import type { WorkerInterceptors } from '@temporalio/worker';
import { attempt } from '../activities/threads/attempt.ts';
import { cancellation } from '../activities/threads/cancellation.ts';
import { Failure, failures } from '../workflows/failures.ts';

/** Two beats may be lost before the server gives the activity up. */
const beatShare = 0.3;

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

/**
 * Tells the server that an activity still runs, as often as its heartbeat time-out asks; one that
 * is done before the first beat costs no call.
 */
export function beat(timeoutMs: number | undefined, heartbeat: () => unknown): () => void {
  if (!timeoutMs) return () => undefined;
  const timer = setInterval(heartbeat, timeoutMs * beatShare);
  return () => clearInterval(timer);
}

/** The interceptors of every worker. */
export const interceptors: WorkerInterceptors = {
  activity: [
    (context) => ({
      inbound: {
        async execute(input, next) {
          const stop = beat(context.info.heartbeatTimeoutMs, () => context.heartbeat());
          try {
            return await attempt.run(context.info.attempt, () =>
              cancellation.run(context.cancellationSignal, () => next(input)),
            );
          } catch (error) {
            throw asApplicationFailure(error);
          } finally {
            stop();
          }
        },
      },
    }),
  ],
};
