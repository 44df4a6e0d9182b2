import { describe, expect, it } from 'vitest';
import { judgeRecovery } from '../../../activities/identity/recovery.ts';
import { describeVerification } from '../../../activities/trust-checks/describe-verification.ts';
import { captureOfProof } from '../../../domain/trust-checks/capture.ts';
import type { ProofSnapshot } from '../../../workflows/trust-check/messages.ts';
import { reviewedAs } from '../../../workflows/trust-check/reviewed.ts';

const proof = (type: ProofSnapshot['type'], more: Partial<ProofSnapshot> = {}): ProofSnapshot => ({
  type,
  status: 'passed',
  attempt: 1,
  max_attempts: 3,
  reason_code: null,
  provider: null,
  evidence_hash: null,
  ...more,
});
const inReview = proof('biometric', { status: 'in_review', reason_code: 'review_requested' });
const accepted = { ...inReview, ...reviewedAs('approve', inReview) };

const check = {
  link_session_id: 'tc_00000000000000000000000000',
  status: 'passed',
  outcome_validity: 'valid',
  decided_at: new Date('2026-11-01T09:00:00Z'),
  redacted_at: null,
  is_match: true,
} as const;
const withFace = { ...check, proofs: [proof('document'), proof('biometric')] };
const withoutFace = { ...check, proofs: [proof('document'), accepted] };

describe('a face that a reviewer accepted without any check', () => {
  it('keeps its reason, unlike an inconclusive one', () => {
    const unsure = proof('biometric', { status: 'in_review', reason_code: 'face_unsure' });
    expect(reviewedAs('approve', unsure)).toEqual({ status: 'passed', reason_code: null });
    expect(accepted).toMatchObject({ status: 'passed', reason_code: 'review_requested' });
    expect(captureOfProof({ device_id: null, paired_at: new Date() }, accepted)).toBeNull();
  });

  it('is not listed as evidence of verified claims', () => {
    const evidenceOf = (of: typeof withFace): string =>
      JSON.stringify(describeVerification(of, { full_name: 'Anna Maria Eriksson' }));
    expect(evidenceOf(withFace)).toContain('"bvr"');
    expect(evidenceOf(withoutFace)).toContain('"vri"');
    expect(evidenceOf(withoutFace)).not.toMatch(/bvr|biometric/);
  });

  it('does not prove a recovery', () => {
    expect(judgeRecovery(withFace)).toBe('proven');
    expect(judgeRecovery(withoutFace)).toBe('failed');
  });
});
