/**
 * The answer of every evidence judge: one shape for the live check, the vectors and the auditor.
 */

import { createHash } from 'node:crypto';
import type { ProofReason } from './reasons.ts';

export type CheckResult = 'ok' | 'failed' | 'skipped';

export interface Check {
  readonly name: string;
  readonly result: CheckResult;
  readonly detail?: string;
}

export interface Verdict {
  readonly format: 'trustcheck-verdict/1';
  readonly kind: string;
  readonly verdict: 'passed' | 'failed' | 'inconclusive';
  /** The reason code of the first failed check; null when passed. */
  readonly reason_code: ProofReason | null;
  readonly checks: readonly Check[];
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Two verdicts are the same to the letter, facts included, where they hash to the same. */
export const verdictHashOf = (verdict: Verdict): string =>
  createHash('sha256').update(JSON.stringify(verdict)).digest('hex');

/**
 * What one rule answers: fine, not applicable here, a fault with its reason code, or undecidable.
 */
export type RuleAnswer =
  | { readonly ok: true; readonly detail?: string }
  | { readonly skipped: string }
  | { readonly fault: ProofReason; readonly detail?: string }
  | { readonly unknown: ProofReason; readonly detail?: string };

/** One named rule of a specification, judged over what the rules before it have learnt. */
export interface Rule<Facts> {
  readonly name: string;
  readonly judge: (facts: Facts) => RuleAnswer;
}

/**
 * Runs every rule in the order of its specification, past the first fault, so that an auditor sees
 * all of them. A rule that throws has met hostile bytes: it counts as failed with `malformed`,
 * never as an exception.
 */
export function judge<Facts>(
  kind: string,
  rules: readonly Rule<Facts>[],
  facts: Facts,
  present: (facts: Facts) => Record<string, unknown>,
): Verdict {
  const checks: Check[] = [];
  let reasonCode: ProofReason | null = null;
  let unknownCode: ProofReason | null = null;
  for (const rule of rules) {
    const answer = answerOf(rule, facts);
    if ('fault' in answer) {
      reasonCode ??= answer.fault;
      checks.push(check(rule.name, 'failed', answer.detail));
    } else if ('unknown' in answer) {
      unknownCode ??= answer.unknown;
      checks.push(check(rule.name, 'skipped', answer.detail ?? answer.unknown));
    } else if ('skipped' in answer) {
      checks.push(check(rule.name, 'skipped', answer.skipped));
    } else {
      checks.push(check(rule.name, 'ok', answer.detail));
    }
  }
  const verdict = reasonCode ? 'failed' : unknownCode ? 'inconclusive' : 'passed';
  return {
    format: 'trustcheck-verdict/1',
    kind,
    verdict,
    reason_code: reasonCode ?? unknownCode,
    checks,
    facts: present(facts),
  };
}

function answerOf<Facts>(rule: Rule<Facts>, facts: Facts): RuleAnswer {
  try {
    return rule.judge(facts);
  } catch {
    // The error is about our code (its class, its file); the verdict is about the evidence.
    return { fault: 'malformed', detail: 'the evidence cannot be read' };
  }
}

function check(name: string, result: CheckResult, detail: string | undefined): Check {
  return detail === undefined ? { name, result } : { name, result, detail };
}
