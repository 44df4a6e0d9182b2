import type { TrustCheckSnapshot } from './messages.ts';
import { mayMove, type TrustCheckSession } from './session.ts';
import type { TrustCheckMove } from './state.ts';

/** An instant in milliseconds since the epoch, and what happens then if nobody acts. */
export interface Deadline {
  readonly atMs: number;
  readonly on: TrustCheckMove;
}

/**
 * The next deadline of the session; null where none can end it: a decision is waited for as long as
 * it takes, since a reviewer is not the person who was asked.
 */
export function nextDeadline(session: TrustCheckSession): Deadline | null {
  const next = shortestDeadline(session);
  return mayMove(session, next.on) ? next : null;
}

function shortestDeadline(session: TrustCheckSession): Deadline {
  const { timers } = session.input;
  const hardMs = openedAtMs(session) + timers.hardMs;
  if (session.snapshot.status === 'created') {
    return { atMs: session.begunAtMs + timers.unopenedMs, on: 'expire' };
  }
  const idleMs = session.activeAtMs + timers.idleMs;
  return idleMs < hardMs ? { atMs: idleMs, on: 'abandon' } : { atMs: hardMs, on: 'expire' };
}

/** The hard limit counts from when somebody came, not from when the link was made. */
function openedAtMs({ snapshot, begunAtMs, skippedMs }: TrustCheckSession): number {
  const opened = openingOf(snapshot);
  return opened ? Date.parse(opened.at) - skippedMs : begunAtMs;
}

const openingOf = ({ log }: TrustCheckSnapshot) => log.find(({ move }) => move === 'open');

/** The session as if so much more time had passed, as far as its deadlines are concerned. */
export function skip(session: TrustCheckSession, ms: number): TrustCheckSession {
  const { snapshot, activeAtMs, begunAtMs, skippedMs } = session;
  return {
    ...session,
    activeAtMs: activeAtMs - ms,
    begunAtMs: begunAtMs - ms,
    skippedMs: openingOf(snapshot) ? skippedMs + ms : 0,
  };
}
