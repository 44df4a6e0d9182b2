import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionLike } from '@temporalio/client';
import { singleFlight } from './single-flight.ts';

/** What a process needs, by name, and whether it answers now. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
}

/** A probe that has said nothing for this long counts as refused. */
const probeMsMax = 3_000;

/**
 * Makes the question whether all that a process needs answers: put anew each time it is asked, and
 * answered within three seconds. What is asked already is not asked again: many callers at once,
 * and those who come while a probe hangs, cost what they ask one question.
 * @param probes throw, or reject, while what they ask is away
 */
export function createReadiness(
  probes: Readonly<Record<string, () => Promise<unknown>>>,
): () => Promise<Readiness> {
  const named = Object.entries(probes).map(([name, probe]) => ({ name, ask: shared(probe) }));
  return async () => {
    const answers = await Promise.all(
      named.map(async ({ name, ask }) => [name, await inTime(ask())] as const),
    );
    return { isReady: answers.every(([, isGood]) => isGood), checks: Object.fromEntries(answers) };
  };
}

/** Throws unless the workflow server answers a question of its own now, within three seconds. */
export async function askTemporal(connection: ConnectionLike): Promise<void> {
  // Not `ensureConnected`: it remembers its first answer for good.
  await connection.withDeadline(Date.now() + probeMsMax, () =>
    connection.workflowService.getSystemInfo({}),
  );
}

function shared(probe: () => Promise<unknown>): () => Promise<boolean> {
  return singleFlight(async () => {
    try {
      await probe();
      return true;
    } catch {
      return false;
    }
  });
}

async function inTime(answer: Promise<boolean>): Promise<boolean> {
  const over = new AbortController();
  const late = sleep(probeMsMax, false, { signal: over.signal, ref: false });
  try {
    return await Promise.race([answer, late]);
  } finally {
    over.abort();
  }
}
