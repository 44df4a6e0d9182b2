import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDeadline } from '../../../workflows/trust-check/deadlines.ts';
import * as rules from '../../../workflows/trust-check/session.ts';
import { skip, snapshotOf } from '../../../workflows/trust-check/snapshot.ts';
import {
  isTrustCheckFinal,
  nextTrustCheckState,
  trustCheckFinalStates,
  trustCheckMoves,
  trustCheckStates,
  trustCheckTransitions,
} from '../../../workflows/trust-check/state.ts';

const input = {
  link_session_id: 'tc_1',
  account_id: 1,
  proofs: ['phone', 'device'],
  attempts_max: 3,
  timers: { unopenedMs: 72 * 3600_000, idleMs: 30 * 60_000, hardMs: 24 * 3600_000 },
} as const;

describe('the state table', () => {
  it('never leaves a final state', () => {
    for (const state of trustCheckFinalStates) {
      for (const move of trustCheckMoves) expect(nextTrustCheckState(state, move)).toBeNull();
    }
  });

  it('reaches every state, names only known states, and has one target per state and move', () => {
    const reached = new Set(trustCheckTransitions.map(({ to }) => to));
    for (const state of trustCheckStates) if (state !== 'created') expect(reached).toContain(state);
    const seen = new Set<string>();
    for (const { on, from } of trustCheckTransitions) {
      for (const state of from) {
        expect(trustCheckStates).toContain(state);
        expect(seen.has(`${state} ${on}`)).toBe(false);
        seen.add(`${state} ${on}`);
      }
    }
  });

  it('allows no cancellation during a decision', () => {
    expect(nextTrustCheckState('processing', 'cancel')).toBeNull();
    expect(nextTrustCheckState('in_review', 'cancel')).toBe('canceled');
  });
});

const deadlineOf = (session: rules.TrustCheckSession) =>
  nextDeadline(snapshotOf(session), input.timers);

const step = fc.oneof(
  ...trustCheckMoves.map((move) => fc.constant({ move } as const)),
  fc.record({
    proof: fc.constantFrom('phone' as const, 'device' as const),
    outcome: fc.constantFrom('passed' as const, 'rejected' as const, 'unsure' as const),
    retryable: fc.boolean(),
  }),
);

/** A session with one inconclusive proof, in review since time 0. */
function inReview(): rules.TrustCheckSession {
  let session = rules.newSession({ ...input, proofs: ['phone'] }, 0);
  for (const move of ['open', 'pair'] as const) session = rules.move(session, move, 0);
  session = rules.giveConsent(session, { accepted: true, tos_version: '1', claims: [] }, 0);
  session = rules.beginAttempt(session, 'phone', 0);
  const judgement = {
    outcome: 'unsure',
    reason_code: 'provider_unavailable',
    retryable: false,
    provider: null,
    evidence_hash: null,
  } as const;
  session = rules.settleAttempt(session, 'phone', judgement, 0);
  return rules.move(rules.move(session, 'decide', 0), 'review', 0, 'provider_unavailable');
}

const proofOf = ({ proofs }: rules.TrustCheckSession) => {
  const [proof] = proofs;
  return [proof?.status, proof?.reason_code];
};

describe('a check in review', () => {
  it('has no deadline until it is given back', () => {
    expect(deadlineOf(inReview())).toBeNull();
    const again = rules.move(inReview(), 'ask_again', 5000);
    expect(deadlineOf(again)).toEqual({ atMs: 5000 + input.timers.idleMs, on: 'abandon' });
  });

  it('has no reason code after it passes or is given back', () => {
    expect(inReview().reason_code).toBe('provider_unavailable');
    const passed = rules.move(rules.settleReviewed(inReview(), 'approve', 1), 'pass', 1);
    expect(passed.reason_code).toBeNull();
    expect(proofOf(passed)).toEqual(['passed', null]);
    const asked = rules.reopenProofs(rules.move(inReview(), 'ask_again', 1), 1);
    expect([asked.reason_code, ...proofOf(asked)]).toEqual([null, 'ready', null]);
  });

  it('keeps the reason when it fails, and cancels its proof when it is canceled', () => {
    const rejected = rules.settleReviewed(inReview(), 'reject', 1);
    const failed = rules.move(rejected, 'fail', 1, 'review_rejected');
    expect(failed.reason_code).toBe('review_rejected');
    expect(proofOf(failed)).toEqual(['failed', 'provider_unavailable']);
    const canceled = rules.move(inReview(), 'cancel', 1, 'requester_canceled');
    expect(proofOf(canceled)).toEqual(['canceled', 'provider_unavailable']);
  });
});

describe('any sequence of steps', () => {
  it('keeps the log gap-free, the attempts bounded and final states final', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let session = rules.newSession(input, 0);
        let final: string | null = null;
        for (const [index, one] of steps.entries()) {
          const now = index * 1000;
          if ('move' in one) {
            if (rules.mayMove(session, one.move)) session = rules.move(session, one.move, now);
          } else if (rules.mayAttempt(session, one.proof, 'sub')) {
            session = rules.beginAttempt(session, one.proof, now);
            const { outcome, retryable } = one;
            const judgement = {
              outcome,
              retryable,
              reason_code: null,
              provider: null,
              evidence_hash: null,
            };
            session = rules.settleAttempt(session, one.proof, judgement, now);
          }
          if (final) expect(session.status).toBe(final);
          if (isTrustCheckFinal(session.status)) final = session.status;
          expect(session.log.map(({ version }) => version)).toEqual(
            session.log.map((_, at) => at + 1),
          );
          expect(session.version).toBe(session.log.length);
          for (const { attempt, max_attempts } of session.proofs) {
            expect(attempt).toBeLessThanOrEqual(max_attempts);
          }
        }
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  it('skips the other proofs once one has failed permanently', () => {
    let session = rules.newSession(input, 0);
    for (const move of ['open', 'pair'] as const) session = rules.move(session, move, 1);
    session = rules.giveConsent(session, { accepted: true, tos_version: '1', claims: [] }, 2);
    session = rules.beginAttempt(session, 'device', 3);
    const judgement = {
      outcome: 'rejected',
      retryable: false,
      reason_code: 'key_revoked',
      provider: null,
      evidence_hash: null,
    } as const;
    session = rules.settleAttempt(session, 'device', judgement, 4);
    expect(rules.allDecided(session)).toBe(true);
    expect(session.proofs.map(({ status }) => status)).toEqual(['skipped', 'failed']);
  });
});

describe('deadlines', () => {
  it('are first 72 hours unopened, then idle, then hard', () => {
    let session = rules.newSession(input, 0);
    expect(deadlineOf(session)).toEqual({ atMs: input.timers.unopenedMs, on: 'expire' });
    session = rules.move(session, 'open', 1000);
    expect(deadlineOf(session)).toEqual({
      atMs: 1000 + input.timers.idleMs,
      on: 'abandon',
    });
    session = rules.move(session, 'pair', 24 * 3600_000 - 1000);
    expect(deadlineOf(session)).toEqual({
      atMs: 1000 + input.timers.hardMs,
      on: 'expire',
    });
  });

  it('become shorter by skipped time, if they apply from then on', () => {
    const { unopenedMs, idleMs, hardMs } = input.timers;
    let session = skip(rules.newSession(input, 0), 1000, 'one');
    expect(deadlineOf(session)).toEqual({ atMs: unopenedMs - 1000, on: 'expire' });
    session = skip(rules.move(session, 'open', 5000), 700, 'two');
    expect(deadlineOf(session)).toEqual({ atMs: 5000 + idleMs - 700, on: 'abandon' });
    session = rules.move(session, 'pair', 6000);
    expect(deadlineOf(session)).toEqual({ atMs: 6000 + idleMs, on: 'abandon' });
    session = rules.move(skip(session, hardMs - idleMs, 'three'), 'consent', 6000);
    expect(deadlineOf(session)).toEqual({ atMs: 5000 + idleMs - 700, on: 'expire' });
  });
});
