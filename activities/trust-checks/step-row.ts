import type { NewEvent } from '../../db/queries/events.ts';
import { sessionEvent, type SessionEventType } from '../../db/queries/session-event.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { LogEntry } from '../../workflows/trust-check/messages.ts';
import type { TrustCheckRecord, TrustCheckSession } from '../../workflows/trust-check/session.ts';
import {
  isTrustCheckFinal,
  trustCheckReasons,
  type TrustCheckMove,
} from '../../workflows/trust-check/state.ts';

/** Returns the session in the form that the rules use. */
export function sessionOf(row: TrustCheckRow): TrustCheckSession {
  const { link_session_id, version, status, proofs, poly_user_id, device_id, consent } = row;
  return {
    link_session_id,
    version,
    status,
    reason_code: trustCheckReasons.find((known) => known === row.reason_code) ?? null,
    proofs,
    poly_user_id,
    device_id,
    consent,
    log: row.log,
    skips: row.skips,
    begun_ms: row.created_at.getTime(),
    added: [],
  };
}

/** Returns the columns that a step changes. */
export function columnsOf(session: TrustCheckRecord) {
  const { status, reason_code, version, proofs, consent, poly_user_id, device_id, log } = session;
  const last = log.at(-1);
  return {
    status,
    reason_code,
    version,
    log: [...log],
    skips: [...session.skips],
    proofs: proofs.map((proof) => ({ ...proof })),
    consent: consent && { ...consent, claims: [...consent.claims] },
    poly_user_id,
    device_id,
    opened_at: timeOf(log, 'open'),
    paired_at: timeOf(log, 'pair'),
    submitted_at: timeOf(log, 'decide'),
    decided_at: isTrustCheckFinal(status) && last ? new Date(last.at) : null,
  };
}

/** Returns the time of the first entry with this move, or null. */
function timeOf(log: readonly LogEntry[], on: TrustCheckMove): Date | null {
  const entry = log.find(({ move }) => move === on);
  return entry ? new Date(entry.at) : null;
}

const eventOfMove: Readonly<Record<TrustCheckMove, SessionEventType>> = {
  open: 'trust_check.opened',
  pair: 'trust_check.paired',
  consent: 'trust_check.consented',
  decline: 'trust_check.declined',
  decide: 'trust_check.processing',
  pass: 'trust_check.passed',
  fail: 'trust_check.failed',
  review: 'trust_check.in_review',
  ask_again: 'trust_check.requires_retry',
  retry: 'trust_check.retried',
  expire: 'trust_check.expired',
  abandon: 'trust_check.abandoned',
  cancel: 'trust_check.canceled',
};

/** @param row the check just after the entry */
export function eventsOf(entry: LogEntry, row: TrustCheckRow): NewEvent[] {
  if (entry.proof && entry.proof_to) {
    const details = { proof: entry.proof, proof_status: entry.proof_to };
    return [sessionEvent(row, 'proof.updated', details, entry.proof_from)];
  }
  return entry.move ? [sessionEvent(row, eventOfMove[entry.move], {}, entry.from)] : [];
}
