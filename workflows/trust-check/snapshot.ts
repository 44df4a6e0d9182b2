import type { LogEntry, TrustCheckSnapshot } from './messages.ts';
import type { TrustCheckRecord, TrustCheckSession } from './session.ts';

/** Returns the snapshot that a step answers with. */
export function snapshotOf(session: TrustCheckRecord): TrustCheckSnapshot {
  const { link_session_id, version, status, reason_code, proofs, log, begun_ms } = session;
  const opened = log.find(({ move: on }) => on === 'open');
  const last = log.at(-1);
  return {
    link_session_id,
    version,
    status,
    reason_code,
    proofs,
    begun_ms: begun_ms - skippedMsSince(session, 0),
    opened_ms: opened ? instantOf(session, opened) : null,
    active_ms: last ? instantOf(session, last) : begun_ms - skippedMsSince(session, 0),
  };
}

const instantOf = (session: TrustCheckRecord, { at, version }: LogEntry): number =>
  Date.parse(at) - skippedMsSince(session, version);

const skippedMsSince = ({ skips }: TrustCheckRecord, since: number): number =>
  skips.reduce((sum, { version, ms }) => (version >= since ? sum + ms : sum), 0);

/** Skips time of a test check: brings its deadlines closer by `ms`. */
export function skip(session: TrustCheckSession, ms: number, step_id: string): TrustCheckSession {
  return { ...session, skips: [...session.skips, { step_id, version: session.version, ms }] };
}
