import type { Logger } from 'pino';
import { listen } from '../../db/listen.ts';
import type { OutboxName } from '../../db/queries/backlog.ts';

/** Work that is stored in a table until it is started. */
export interface Outbox {
  /** Channel on which commits announce work; null for work that comes due by time only. */
  readonly channel: string | null;
  /** Name of the outbox in the backlog metrics; null if it is not counted. */
  readonly countedAs: OutboxName | null;
  /** Starts everything that waits. It is safe to repeat, and returns early when `signal` aborts. */
  readonly drain: (signal: AbortSignal) => Promise<void>;
}

const sweepMs = 5_000;

/**
 * Drains outboxes as soon as a commit notifies of new work. A notification is only a hint: a sweep
 * every five seconds finds the rest, so a lost listener costs seconds but no work.
 * docs/decisions/002-events-and-relays.md
 */
export function relayOutboxes(
  log: Logger,
  databaseUrl: string,
  outboxes: readonly Outbox[],
): { stop: () => Promise<void> } {
  const drains = outboxes.map(({ channel, drain }) => ({ channel, ...oneAtATime(log, drain) }));
  const drainAll = (): void => {
    for (const { run } of drains) run();
  };
  const listener = listen({
    databaseUrl,
    applicationName: 'trustcheck-relay',
    channels: drains.flatMap(({ channel }) => channel ?? []),
    onNotice: (channel) => drains.find((each) => each.channel === channel)?.run(),
    onListening: drainAll,
    onBreak: (err) => log.warn({ err }, 'not listening; the sweep goes on'),
  });
  const sweep = setInterval(drainAll, sweepMs);
  drainAll();
  return {
    stop: async () => {
      clearInterval(sweep);
      await listener.stop();
      await Promise.all(drains.map(({ stop }) => stop()));
    },
  };
}

/** Runs work once at a time. Calls during a run cause one more run after it. */
function oneAtATime(log: Logger, work: (signal: AbortSignal) => Promise<void>) {
  let running: Promise<void> | null = null;
  let again = false;
  const end = new AbortController();
  const run = (): void => {
    if (end.signal.aborted) return;
    if (running) {
      again = true;
      return;
    }
    running = work(end.signal)
      .catch((err: unknown) => log.warn({ err }, 'an outbox waits'))
      .finally(() => {
        running = null;
        if (!again) return;
        again = false;
        run();
      });
  };
  const stop = async (): Promise<void> => {
    end.abort();
    await running;
  };
  return { run, stop };
}
