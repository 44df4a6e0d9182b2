import { describe, expect, it } from 'vitest';
import { nextDeadline } from '../../../workflows/trust-check/deadlines.ts';
import { processingOf } from '../../../workflows/trust-check/processing.ts';
import {
  giveConsent,
  move,
  newSession,
  type TrustCheckSession,
} from '../../../workflows/trust-check/session.ts';
import { snapshotOf } from '../../../workflows/trust-check/snapshot.ts';
import { afterStep, refusalOf, type TrustCheckStep } from '../../../workflows/trust-check/steps.ts';

const timers = { unopenedMs: 72 * 3600_000, idleMs: 30 * 60_000, hardMs: 24 * 3600_000 };
const input = {
  link_session_id: 'tc_1',
  account_id: 1,
  proofs: ['document', 'phone'],
  attempts_max: 2,
  timers,
} as const;

function collecting(): TrustCheckSession {
  let session = newSession(input, 0);
  for (const on of ['open', 'pair'] as const) session = move(session, on, 0);
  return giveConsent(session, { accepted: true, tos_version: '1', claims: [] }, 0);
}

const processed = (submission_id: string) =>
  ({ kind: 'process', proof: 'document', submission_id }) as const;

const judged = (submission_id: string, outcome: 'passed' | 'rejected' = 'passed') =>
  ({
    kind: 'settle',
    proof: 'document',
    submission_id,
    judgement: { outcome, reason_code: null, retryable: true, provider: null, evidence_hash: null },
  }) as const;

const take = (session: TrustCheckSession, step: TrustCheckStep, id: string, nowMs = 1) => {
  expect(refusalOf(session, step)).toBeNull();
  return afterStep(session, step, id, nowMs);
};

const processing = () => take(collecting(), processed('sub_1'), 'process/sub_1');
const documentOf = ({ proofs: [document] }: TrustCheckSession) => [
  document?.status,
  document?.attempt,
];

describe('a submission that is processing', () => {
  it('is one attempt with its judgement, both logged under its id', () => {
    const session = processing();
    expect(documentOf(session)).toEqual(['processing', 1]);
    expect(processingOf(session, 'document')).toBe('sub_1');
    const settled = take(session, judged('sub_1', 'rejected'), 'sub_1');
    expect(documentOf(settled)).toEqual(['requires_retry', 1]);
    expect(processingOf(settled, 'document')).toBeNull();
    expect(settled.log.slice(-2)).toMatchObject([
      { proof_from: 'ready', proof_to: 'processing', submission_id: 'sub_1' },
      { proof_from: 'processing', proof_to: 'requires_retry', submission_id: 'sub_1' },
    ]);
  });

  it('blocks other submissions of its proof, but not of other proofs', () => {
    const session = processing();
    const detail = expect.stringContaining('still judged');
    const refused = { code: 'invalid_state', detail };
    expect(refusalOf(session, processed('sub_2'))).toEqual(refused);
    expect(refusalOf(session, judged('sub_2'))).toEqual(refused);
    expect(refusalOf(session, { ...judged('sub_3'), proof: 'phone' })).toBeNull();
  });

  it('leaves only the hard deadline, since the person is not idle', () => {
    const before = nextDeadline(snapshotOf(collecting()), timers);
    expect(before).toEqual({ atMs: timers.idleMs, on: 'abandon' });
    const session = processing();
    const hard = { atMs: timers.hardMs, on: 'expire' };
    expect(nextDeadline(snapshotOf(session), timers)).toEqual(hard);
    const due = { kind: 'end_if_due', timers, now_ms: 3600_000 } as const;
    expect(take(session, due, 'deadline').status).toBe('collecting');
    const settled = take(session, judged('sub_1'), 'sub_1', 3600_000);
    const idle = { atMs: 3600_000 + timers.idleMs, on: 'abandon' };
    expect(nextDeadline(snapshotOf(settled), timers)).toEqual(idle);
  });

  it('cannot save a check that another proof failed', () => {
    const wrong = { ...judged('sub_2', 'rejected'), proof: 'phone' } as const;
    let session = processing();
    for (const attempt of [1, 2]) session = take(session, wrong, `phone/${attempt}`);
    expect([session.status, session.proofs[1]?.status]).toEqual(['collecting', 'failed']);
    const settled = take(session, judged('sub_1', 'rejected'), 'sub_1');
    expect([settled.status, documentOf(settled)[0]]).toEqual(['processing', 'skipped']);
  });
});
