import { ApplicationFailure } from '@temporalio/common';
import type { WorkerInterceptors } from '@temporalio/worker';
import { z } from 'zod';
import { cancellation } from '../activities/runtime/cancellation.ts';
import { losses } from '../activities/runtime/threads/losses.ts';
import { Failure, retriedFailures } from '../workflows/failures.ts';

/** Two beats may be lost before the server gives the activity up. */
const beatShare = 0.3;

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

type ActivityContext = Parameters<NonNullable<WorkerInterceptors['activity']>[number]>[0];

const beaten = z.object({ lost_threads: z.int().min(0) });

/**
 * The threads an activity has lost, attempts before counted. What it beats with is all that the
 * next attempt hears of this one.
 */
function lossesOf({ info, heartbeat }: Pick<ActivityContext, 'info' | 'heartbeat'>) {
  let lost = beaten.safeParse(info.heartbeatDetails).data?.lost_threads ?? 0;
  const tell = (): void => heartbeat({ lost_threads: lost });
  const add = (): number => {
    lost += 1;
    tell();
    return lost;
  };
  return { tell, add };
}

/** The interceptors of every worker. */
export const interceptors: WorkerInterceptors = {
  activity: [
    (context) => ({
      inbound: {
        async execute(input, next) {
          const lost = lossesOf(context);
          const stop = beat(context.info.heartbeatTimeoutMs, lost.tell);
          try {
            return await losses.run(lost, () =>
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
