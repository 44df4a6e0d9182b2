import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionLike } from '@temporalio/client';
import { singleFlight } from './single-flight.ts';

/** Each dependency of a process by name, and whether it answers now. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
}

/** A probe without an answer after this time counts as failed. */
const probeMsMax = 3_000;

/**
 * Creates a function that probes all dependencies of a process, and returns within three seconds.
 * Each call probes anew. Concurrent calls share one run of each probe, also while a probe hangs.
 * @param probes throw or reject while their dependency is unavailable
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

/**
 * Sends a request to the Temporal server.
 * @throws when the server does not answer within three seconds
 */
export async function askTemporal(connection: ConnectionLike): Promise<void> {
  // `ensureConnected` does not do: it remembers its first answer forever.
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
