import type { TrustCheckSnapshot, TrustCheckTimers } from './messages.ts';
import { mayMove } from './session.ts';
import type { TrustCheckMove } from './state.ts';

/** An instant in milliseconds since the epoch, and the move that is due then. */
export interface Deadline {
  readonly atMs: number;
  readonly on: TrustCheckMove;
}

/**
 * Returns the next deadline of the session, or null if its state has none. A decision and a review
 * have no deadline, since the person cannot speed them up.
 */
export function nextDeadline(
  snapshot: TrustCheckSnapshot,
  timers: TrustCheckTimers,
): Deadline | null {
  const next = shortestDeadline(snapshot, timers);
  return mayMove(snapshot, next.on) ? next : null;
}

function shortestDeadline(
  { status, proofs, begun_ms, opened_ms, active_ms }: TrustCheckSnapshot,
  { unopenedMs, idleMs, hardMs }: TrustCheckTimers,
): Deadline {
  if (status === 'created') return { atMs: begun_ms + unopenedMs, on: 'expire' };
  // The hard limit counts from the opening of the check, not from the creation of the link.
  const hardAtMs = (opened_ms ?? begun_ms) + hardMs;
  // The person waits for the service and is not idle.
  const isJudging = proofs.some((proof) => proof.status === 'processing');
  if (isJudging) return { atMs: hardAtMs, on: 'expire' };
  const idleAtMs = active_ms + idleMs;
  return idleAtMs < hardAtMs ? { atMs: idleAtMs, on: 'abandon' } : { atMs: hardAtMs, on: 'expire' };
}
