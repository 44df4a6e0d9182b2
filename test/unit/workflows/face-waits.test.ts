import { describe, expect, it } from 'vitest';
import type { ProofType } from '../../../workflows/proofs.ts';
import * as rules from '../../../workflows/trust-check/session.ts';

const timers = { unopenedMs: 72 * 3600_000, idleMs: 30 * 60_000, hardMs: 24 * 3600_000 };

function consented(proofs: readonly ProofType[]): rules.TrustCheckSession {
  const input = { link_session_id: 'tc_1', account_id: 1, proofs, timers };
  const asked = { ...input, attempts_max: 2 };
  let session = rules.newSession(asked, 0);
  for (const move of ['open', 'pair'] as const) session = rules.move(session, move, 0);
  return rules.giveConsent(session, { accepted: true, tos_version: '1', claims: [] }, 0);
}

function judged(
  session: rules.TrustCheckSession,
  proof: ProofType,
  outcome: 'passed' | 'rejected' | 'unsure',
): rules.TrustCheckSession {
  const provider = null;
  const judgement = { outcome, reason_code: null, retryable: true, provider, evidence_hash: null };
  return rules.settleAttempt(rules.beginAttempt(session, proof, 1), proof, judgement, 1);
}

const statesOf = ({ proofs }: rules.TrustCheckSession): string[] =>
  proofs.map(({ status }) => status);

describe('a face proof', () => {
  it.each<[string, ProofType[], ('passed' | 'rejected' | 'unsure')[], string]>([
    ['waits for its passport', ['biometric', 'nfc_passport'], [], 'waiting_for_prerequisite'],
    [
      'waits while its passport is retried',
      ['biometric', 'nfc_passport'],
      ['rejected'],
      'waiting_for_prerequisite',
    ],
    [
      'becomes ready once its passport passed',
      ['biometric', 'nfc_passport'],
      ['rejected', 'passed'],
      'ready',
    ],
    [
      'becomes ready once its passport is in review',
      ['biometric', 'nfc_passport'],
      ['unsure'],
      'ready',
    ],
    [
      'is skipped once its passport failed',
      ['biometric', 'nfc_passport'],
      ['rejected', 'rejected'],
      'skipped',
    ],
    [
      'becomes ready once its document passed, when there is no passport',
      ['biometric', 'document'],
      ['passed'],
      'ready',
    ],
  ])('%s', (_, proofs, outcomes, expected) => {
    const session = outcomes.reduce(
      (current, outcome) => judged(current, proofs[1] ?? 'document', outcome),
      consented(proofs),
    );
    expect(statesOf(session)[0]).toBe(expected);
    expect(rules.mayAttempt(session, 'biometric', 'sub')).toBe(expected === 'ready');
    expect(rules.allDecided(session)).toBe(expected === 'skipped');
    const told = session.log.filter(({ proof }) => proof === 'biometric');
    const steps = told.map(({ proof_from, proof_to }) => [proof_from, proof_to]);
    const isTold = ['ready', 'skipped'].includes(expected);
    expect(steps).toEqual(isTold ? [['waiting_for_prerequisite', expected]] : []);
  });

  it('waits for the passport, even when another proof has a portrait', () => {
    const asked = consented(['biometric', 'document', 'nfc_passport']);
    const paged = judged(asked, 'document', 'passed');
    expect(statesOf(paged)).toEqual(['waiting_for_prerequisite', 'passed', 'ready']);
    expect(statesOf(judged(paged, 'nfc_passport', 'passed'))[0]).toBe('ready');
  });

  it('is required again when its portrait is retried, even if it had passed', () => {
    const shown = judged(consented(['biometric', 'nfc_passport']), 'nfc_passport', 'unsure');
    const matched = judged(shown, 'biometric', 'passed');
    expect(statesOf(matched)).toEqual(['passed', 'in_review']);
    const asked = rules.move(rules.move(matched, 'decide', 2), 'review', 2);
    const again = rules.reopenProofs(rules.move(asked, 'ask_again', 3), 4);
    expect(statesOf(again)).toEqual(['waiting_for_prerequisite', 'ready']);
    expect(again.proofs.map(({ attempt }) => attempt)).toEqual([0, 0]);
    expect(statesOf(judged(again, 'nfc_passport', 'passed'))).toEqual(['ready', 'passed']);
  });

  it('stays passed or open while its portrait stays', () => {
    const shown = judged(consented(['biometric', 'nfc_passport']), 'nfc_passport', 'passed');
    const unsure = judged(shown, 'biometric', 'unsure');
    const asked = rules.move(rules.move(unsure, 'decide', 2), 'review', 2);
    const again = rules.reopenProofs(rules.move(asked, 'ask_again', 3), 4);
    expect(statesOf(again)).toEqual(['ready', 'passed']);
  });
});
