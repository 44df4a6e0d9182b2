/**
 * The verdict of every evidence judge. The live check, the test vectors and the auditor share it.
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

/**
 * Returns the SHA-256 of a verdict in hex. Equal hashes mean identical verdicts, facts included.
 */
export const verdictHashOf = (verdict: Verdict): string =>
  createHash('sha256').update(JSON.stringify(verdict)).digest('hex');

/** Answer of one rule: ok, not applicable, a fault with its reason code, or undecidable. */
export type RuleAnswer =
  | { readonly ok: true; readonly detail?: string }
  | { readonly skipped: string }
  | { readonly fault: ProofReason; readonly detail?: string }
  | { readonly unknown: ProofReason; readonly detail?: string };

/** One named rule of a specification. It may use what the earlier rules found. */
export interface Rule<Facts> {
  readonly name: string;
  readonly judge: (facts: Facts) => RuleAnswer;
}

/**
 * Runs every rule in the order of its specification. It continues after a fault, so that an auditor
 * sees all results. A rule that throws has met hostile bytes and counts as failed with `malformed`.
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
    // The error describes our code (its class, its file); the verdict describes the evidence.
    return { fault: 'malformed', detail: 'the evidence cannot be read' };
  }
}

function check(name: string, result: CheckResult, detail: string | undefined): Check {
  return detail === undefined ? { name, result } : { name, result, detail };
}
