import { setTimeout as sleep } from 'node:timers/promises';

/** A request to change these sessions at a rate per second. */
export interface ChangeRequest {
  readonly sessionIds: readonly string[];
  readonly count: number;
  readonly perSecond: number;
}

/** One committed change, on the clock that all processes of the machine share. */
export interface Change {
  readonly sessionId: string;
  /** Sequence of the event about the change. */
  readonly sequence: number;
  readonly startedNs: bigint;
}

/**
 * Starts changes at a steady rate, however long each takes, so that a slow server shows. A session
 * changes again only after all others have. `make` returns the sequence of the change that it
 * committed.
 */
export async function changeSteadily(
  request: ChangeRequest,
  make: (sessionId: string) => Promise<number>,
): Promise<Change[]> {
  const { sessionIds, count, perSecond } = request;
  const began = performance.now();
  const running: Promise<Change>[] = [];
  while (running.length < count) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond) + 1;
    while (running.length < Math.min(due, count)) {
      const sessionId = sessionIds[running.length % sessionIds.length] ?? '';
      running.push(timed(sessionId, make));
    }
    await sleep(1);
  }
  return Promise.all(running);
}

async function timed(
  sessionId: string,
  make: (sessionId: string) => Promise<number>,
): Promise<Change> {
  const startedNs = process.hrtime.bigint();
  return { sessionId, startedNs, sequence: await make(sessionId) };
}
