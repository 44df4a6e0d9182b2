import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
} from '@temporalio/client';
import type { Logger } from 'pino';

/** Rows of a table that each wait for one workflow to be started. */
export interface WaitingRows<Row> {
  /** The next ones, at most so many, and none of those that are named. */
  list(lengthMax: number, without: readonly string[]): Promise<readonly Row[]>;
  idOf(row: Row): string;
  /** Starts the row's workflow; again is harmless, since the workflow's id is the row's. */
  start(row: Row): Promise<unknown>;
  /** Notes that it has been started. */
  mark(row: Row): Promise<unknown>;
}

export interface DispatchDeps {
  readonly client: Pick<Client, 'withDeadline'>;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** Few, so that a list which is fair between senders is soon read again. */
const batchSize = 20;
const deadlineMs = 3_000;
/** So many in a row that the server did not answer: it is away, and the others would wait too. */
const unansweredMax = 2;
const failedMax = 1_000;
/** gRPC CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const unansweredCodes = new Set([1, 4, 8, 14]);

/**
 * Starts what waits, one after the other, each within three seconds. A row that cannot be started
 * is logged and left for the next round; those behind it go on. Throws what came last when the
 * workflow server does not answer, or a thousand rows have failed. Ends early, between two rows,
 * when told to.
 */
export async function dispatchOutbox<Row>(
  rows: WaitingRows<Row>,
  deps: DispatchDeps,
  signal: AbortSignal,
): Promise<void> {
  const failed: string[] = [];
  let unanswered = 0;
  for (;;) {
    const batch = await rows.list(batchSize, failed);
    for (const row of batch) {
      if (signal.aborted) return;
      const fault = await faultOf(deps, () => rows.start(row));
      if (!fault) {
        await rows.mark(row);
        unanswered = 0;
        continue;
      }
      failed.push(rows.idOf(row));
      deps.log.warn({ err: fault.error, row: rows.idOf(row) }, 'a row could not be started');
      unanswered = isUnanswered(fault.error) ? unanswered + 1 : 0;
      if (unanswered >= unansweredMax || failed.length >= failedMax) throw fault.error;
    }
    if (batch.length < batchSize) return;
  }
}

async function faultOf(
  { client, clock }: DispatchDeps,
  start: () => Promise<unknown>,
): Promise<{ readonly error: unknown } | null> {
  try {
    // The client tries again by itself, each time with a deadline of its own.
    await inTime(client.withDeadline(clock().getTime() + deadlineMs, start));
    return null;
  } catch (error) {
    return error instanceof WorkflowExecutionAlreadyStartedError ? null : { error };
  }
}

class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = sleep(deadlineMs, null, { signal: over.signal }).then(() => {
    throw new Unanswered('the workflow server did not answer within three seconds');
  });
  try {
    await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

function isUnanswered(error: unknown): boolean {
  if (error instanceof Unanswered) return true;
  if (isGrpcServiceError(error)) return unansweredCodes.has(error.code);
  // Starting wraps what gRPC said.
  return error instanceof Error && error.cause !== undefined && isUnanswered(error.cause);
}
