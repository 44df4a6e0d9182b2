import { ApplicationFailure } from '@temporalio/common';
import type { WorkerInterceptors } from '@temporalio/worker';
import { cancellation } from '../activities/runtime/cancellation.ts';
import { heartbeatWithCrashes } from '../activities/runtime/threads/worker-crashes.ts';
import { Failure, retriedFailures } from '../workflows/failures.ts';

/** Two beats may be lost before the server gives the activity up. */
const beatShare = 0.3;

/**
 * Minimum interval between the heartbeats of an activity. The SDK's default is 0.8 of the heartbeat
 * timeout: one late heartbeat would end the activity. A cancellation arrives with the answer to a
 * heartbeat.
 */
export const heartbeatThrottleMs = 2_000;

/**
 * A `Failure` of our own reaches the workflow server as an application failure of its code, so that
 * the retry policies can name it; a provider's Retry-After becomes the delay of the next attempt.
 * Faults of the request are final, except those with a Retry-After.
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
          const { cancellationSignal, info } = context;
          const stop = beat(info.heartbeatTimeoutMs, () => heartbeatWithCrashes(context));
          try {
            return await cancellation.run(cancellationSignal, () => next(input));
          } catch (error) {
            // An aborted request fails like a request to an unavailable vendor. The server must
            // see the cancellation instead; another fault would be lost with it.
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
