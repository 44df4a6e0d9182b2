import type { Logger } from 'pino';
import { listen } from '../../db/listen.ts';
import type { OutboxName } from '../../db/queries/backlog.ts';

/** Work that lies in a table until it has been started. */
export interface Outbox {
  /** The channel on which a commit says that there is work; null for what time alone brings. */
  readonly channel: string | null;
  /** Where the backlog counts what waits in it; null for what time alone brings. */
  readonly countedAs: OutboxName | null;
  /** Starts everything that waits; harmless to repeat. Ends soon, undone, when it is told to. */
  readonly drain: (signal: AbortSignal) => Promise<void>;
}

const sweepMs = 5_000;

/**
 * Starts the work of outboxes as soon as a commit tells of it. A notification is a hint only: a
 * sweep finds what none was heard of, so that losing the listener costs seconds and no work.
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

/** Runs work once at a time; asked for while it runs, once more after it. */
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
