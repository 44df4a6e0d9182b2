import { ApplicationFailure } from '@temporalio/common';
import type { WorkerInterceptors } from '@temporalio/worker';
import { cancellation } from '../activities/runtime/cancellation.ts';
import { heartbeatWithCrashes } from '../activities/runtime/threads/worker-crashes.ts';
import { Failure, retriedFailures } from '../workflows/failures.ts';

/** Two heartbeats may be lost before the server times the activity out. */
const beatShare = 0.3;

/**
 * Minimum interval between the heartbeats of an activity. The SDK's default is 0.8 of the heartbeat
 * timeout: one late heartbeat would end the activity. A cancellation arrives with the response to a
 * heartbeat.
 */
export const heartbeatThrottleMs = 2_000;

/**
 * Converts a `Failure` into an application failure with its code as type, so that retry policies
 * can name it. A provider's Retry-After becomes the delay of the next attempt. Faults of the
 * request are not retried, except those with a Retry-After.
 */
export function asApplicationFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { code, retryAfterSeconds } = error;
  const isTemporary = retriedFailures.includes(code) || retryAfterSeconds !== undefined;
  return ApplicationFailure.create({
    type: code,
    message: code,
    nonRetryable: !isTemporary,
    cause: error,
    ...(retryAfterSeconds === undefined ? {} : { nextRetryDelay: retryAfterSeconds * 1000 }),
  });
}

/**
 * Sends heartbeats of an activity until the returned function is called. An activity that ends
 * before the first heartbeat costs no call.
 */
export function beat(timeoutMs: number | undefined, heartbeat: () => unknown): () => void {
  if (!timeoutMs) return () => undefined;
  const timer = setInterval(heartbeat, timeoutMs * beatShare);
  return () => clearInterval(timer);
}

export const interceptors: WorkerInterceptors = {
  activity: [
    (context) => ({
      inbound: {
        async execute(input, next) {
          const { cancellationSignal, info } = context;
          const stop = beat(info.heartbeatTimeoutMs, () => heartbeatWithCrashes(context));
          try {
            return await cancellation.run(cancellationSignal, () => next(input));
          } catch (error) {
            // An aborted request fails like a request to an unavailable vendor, but the server must
            // see the cancellation. The log keeps the original error.
            if (cancellationSignal.aborted) context.log.info('canceled', { error });
            cancellationSignal.throwIfAborted();
            throw asApplicationFailure(error);
          } finally {
            stop();
          }
        },
      },
    }),
  ],
};
