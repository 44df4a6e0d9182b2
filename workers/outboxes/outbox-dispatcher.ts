import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
} from '@temporalio/client';
import type { Logger } from 'pino';

/** Rows of a table. Each waits for one workflow to be started. */
export interface WaitingRows<Row> {
  /** Returns the next rows, at most `lengthMax`, without the rows with the ids in `without`. */
  list(lengthMax: number, without: readonly string[]): Promise<readonly Row[]>;
  idOf(row: Row): string;
  /**
   * Starts the row's workflow. Repeating it is harmless, since the row's id is the workflow's id.
   */
  start(row: Row): Promise<unknown>;
  /** Marks the row as started. */
  mark(row: Row): Promise<unknown>;
}

export interface DispatchDeps {
  readonly client: Pick<Client, 'withDeadline'>;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** Small, so that a list which is fair between senders is read again soon. */
const batchSize = 20;
const deadlineMs = 3_000;
/** Consecutive timeouts after which the Temporal server counts as unavailable. */
const unansweredMax = 2;
const failedMax = 1_000;
/** gRPC CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const unansweredCodes = new Set([1, 4, 8, 14]);

/**
 * Starts the waiting rows one after the other, with three seconds for each. Logs a row that cannot
 * be started and leaves it for the next round. Stops between two rows when `signal` aborts.
 * @throws the last error if the Temporal server does not answer, or a thousand rows have failed
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
    // The client retries by itself, each time with its own deadline.
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
  // The SDK wraps the gRPC error of a start.
  return error instanceof Error && error.cause !== undefined && isUnanswered(error.cause);
}
