import type { ProofState } from '../proofs.ts';
import { nextDeadline } from './deadlines.ts';
import type { ProofSnapshot, TrustCheckSnapshot, TrustCheckTimers } from './messages.ts';
import { isTrustCheckFinal, type TrustCheckMove, type TrustCheckState } from './state.ts';

/** Describes the session for an operator, in Markdown: states and deadlines, no personal data. */
export function describe(snapshot: TrustCheckSnapshot, timers: TrustCheckTimers): string {
  const { status, reason_code, proofs } = snapshot;
  return [
    `**${status}**${reason_code ? ` (${reason_code})` : ''}: ${meanings[status]}`,
    '',
    deadlineLine(snapshot, timers),
    '',
    '| proof | state | attempt | reason |',
    '| --- | --- | --- | --- |',
    ...proofs.map(proofRow),
    '',
    `Last change: ${timeOf(snapshot.active_ms)}`,
  ].join('\n');
}

/** Describes the timer of a check. It starts with the shortest of the three deadlines. */
export function describeTimer({ unopenedMs, idleMs, hardMs }: TrustCheckTimers): string {
  const [unopened, idle, hard] = [unopenedMs, idleMs, hardMs].map(spanOf);
  return `deadlines: ${unopened} unopened, ${idle} idle, ${hard} in all`;
}

const meanings: Readonly<Record<TrustCheckState, string>> = {
  created: 'nobody has opened it yet',
  opened: 'the page is open and waits for a phone',
  paired: 'a phone has joined; the person has yet to agree or refuse',
  collecting: 'the person has agreed and hands in the proofs',
  processing: 'every proof is judged; the outcome is being decided',
  requires_retry: 'the person may try again',
  in_review: 'a reviewer has to decide',
  passed: 'every proof held',
  failed: 'it did not hold',
  declined: 'the person refused',
  expired: 'its time ran out',
  abandoned: 'nobody acted for too long',
  canceled: 'it was ended before a decision',
};

const proofMeanings: Readonly<Partial<Record<ProofState, string>>> = {
  waiting_for_prerequisite: 'waits for consent or for another proof',
  ready: 'can be handed in',
  processing: 'being judged',
  requires_retry: 'can be tried again',
  in_review: 'waits for a reviewer',
};

const ends: Readonly<Partial<Record<TrustCheckMove, string>>> = {
  abandon: 'abandoned',
  expire: 'expired',
};

function deadlineLine(snapshot: TrustCheckSnapshot, timers: TrustCheckTimers): string {
  if (isTrustCheckFinal(snapshot.status)) return 'Ended: no deadline is left.';
  const next = nextDeadline(snapshot, timers);
  if (!next) return 'No deadline while it is decided.';
  return `Deadline: ${ends[next.on] ?? next.on} at ${timeOf(next.atMs)} if nobody acts.`;
}

function proofRow({ type, status, attempt, max_attempts, reason_code }: ProofSnapshot): string {
  const state = proofMeanings[status] ?? status;
  return `| ${type} | ${state} | ${attempt} of ${max_attempts} | ${reason_code ?? '–'} |`;
}

/** Formats an instant in UTC, to the second, so that an operator can compare it with a clock. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace(/\..*/, ' UTC');
}

const units = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

function spanOf(ms: number): string {
  const [name, unitMs] = units.find(([, size]) => ms >= size && ms % size === 0) ?? ['ms', 1];
  return `${ms / unitMs} ${name}`;
}
