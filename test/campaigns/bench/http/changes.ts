import { setTimeout as sleep } from 'node:timers/promises';

/** What a program that changes sessions is asked for: so many a second, over these sessions. */
export interface ChangeRequest {
  readonly sessionIds: readonly string[];
  readonly count: number;
  readonly perSecond: number;
}

/** One change that was made, on the clock all processes of the machine share. */
export interface Change {
  readonly sessionId: string;
  /** What the event about it carries as its sequence. */
  readonly sequence: number;
  readonly startedNs: bigint;
}

/**
 * Starts changes at a steady rate, however long each takes: a server that falls behind is seen to.
 * A session changes again only after all others have.
 * @param make gives the sequence of the change it has committed
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
