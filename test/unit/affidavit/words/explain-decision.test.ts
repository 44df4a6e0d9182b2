import { describe, expect, it } from 'vitest';
import { explainDecision } from '../../../../domain/affidavit/words/explain-decision.ts';
import type { StatedProof } from '../../../../domain/affidavit/words/proof-results.ts';
import { decisionRules } from '../../../../domain/trust-checks/decide.ts';
import { trustCheckReasons } from '../../../../workflows/trust-check/state.ts';
import { faceProof, phoneProof } from '../../../support/fixtures/affidavits/contents.ts';

const decided = (
  change: object,
  proofs: readonly StatedProof[] = [],
  matching: Record<string, string> = { full_name: 'mismatch', email: 'not_checked' },
) => {
  const decision = { outcome: 'failed', reason_code: 'mismatch', rule: null, reviewed: false };
  return explainDecision({ decision: { ...decision, ...change }, matching, proofs });
};
const mismatch = 'Face: failed. The face does not match the portrait in the document.';
const unsureFace = {
  ...faceProof,
  status: 'in_review',
  judgement: 'unsure',
  reason_code: 'portrait_unusable',
} as const;
const doubt = 'The portrait in the document is not good enough for a comparison.';
const preset = 'The results were preset for a test check.';

describe('the explanation of a decision', () => {
  it('names the failed proof and the reason', () => {
    const skipped = { ...phoneProof, status: 'skipped', judgement: null };
    const proofs = [faceProof, skipped];
    expect(decided({ rule: 'failed_proof', reason_code: 'proof_failed' }, proofs)).toEqual([
      mismatch,
      'Phone number: not checked.',
    ]);
  });

  it('does not mention expected claims when only the face differs', () => {
    expect(decided({ rule: 'failed_proof' }, [faceProof], {})).toEqual([mismatch]);
  });

  it('names the fields that differ from what was expected', () => {
    expect(decided({ rule: 'matching_params' })).toEqual([
      'The claims do not match the claims that the requester expected. Different: full name.',
    ]);
  });

  it('does not mention expected claims when a preset mismatch compared none', () => {
    const [cause] = decided({ rule: 'matching_params' }, [], {});
    expect(cause).toBe('The result of the comparison with expected claims was preset.');
  });

  it('names the failed proof of a test check, and says that the result was preset', () => {
    const device = { ...faceProof, type: 'device', provider: 'sandbox', facts: {} };
    const failed = { ...device, reason_code: 'software_key' };
    const reason = { rule: 'failed_proof', reason_code: 'attestation_failed' };
    const [first, last, ...more] = decided(reason, [failed]);
    expect(first).toBe('Device: failed. The device keeps the key in software and not in hardware.');
    expect(last).toContain(preset);
    expect(more).toEqual([]);
  });

  it('names each proof that a reviewer did not accept', () => {
    const rejected = { ...unsureFace, status: 'failed' };
    const review = { rule: 'unsure_proof', reason_code: 'review_rejected', reviewed: true };
    expect(decided(review, [rejected, { ...rejected, type: 'phone', reason_code: null }])).toEqual([
      'A reviewer rejected the check, because the rules could not decide.',
      `Face: not accepted by the reviewer. ${doubt}`,
      'Phone number: not accepted by the reviewer.',
    ]);
  });

  it('mentions the review of a check that passed by it, and what the rules could not decide', () => {
    const review = { outcome: 'passed', reason_code: null, reviewed: true };
    const first = 'A reviewer accepted the check, because the rules could not decide.';
    const accepted = { ...unsureFace, status: 'passed' };
    expect(decided({ ...review, rule: 'unsure_proof' }, [phoneProof, accepted])).toEqual([
      first,
      `Face: accepted by the reviewer. ${doubt}`,
    ]);
    expect(decided({ ...review, rule: 'duplicates' }, [phoneProof])).toEqual([
      first,
      'Another enrolled identity passed a check of this requester with the same document.',
    ]);
  });

  it('calls a proof "not decided" when neither the rules nor a reviewer decided it', () => {
    const [cause, face] = decided({ rule: 'unsure_proof', reason_code: 'proof_failed' }, [
      unsureFace,
    ]);
    expect(cause).toContain('allows no review');
    expect(face).toBe(`Face: not decided. ${doubt}`);
  });

  it('does not name the rule behind a review as the cause of another end', () => {
    const rule = 'unsure_person';
    expect(decided({ outcome: 'canceled', reason_code: 'requester_canceled', rule })).toEqual([
      'The requester canceled the check.',
    ]);
    const [revoked] = decided({ reason_code: 'attestation_failed', rule });
    expect(revoked).toContain('someone revoked the device');
  });

  it('is empty for a check that the rules passed', () => {
    expect(decided({ outcome: 'passed', reason_code: null }, [phoneProof])).toEqual([]);
  });

  it.each(trustCheckReasons)('has a sentence for each end of a check: %s', (reason_code) => {
    const proofs = reason_code === 'proof_failed' ? [faceProof] : [];
    for (const rule of [null, ...decisionRules.filter((each) => each !== 'failed_proof')]) {
      const [first] = decided({ reason_code, rule }, proofs);
      expect(first).toMatch(/^[A-Z].*\.$/);
      expect(first).not.toContain('Reason code');
    }
  });
});
