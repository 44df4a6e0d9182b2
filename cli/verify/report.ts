import { createHash, type X509Certificate } from 'node:crypto';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import type { Capture } from '../../domain/names.ts';
import { marksOf } from '../../domain/pdf/layout/marks.ts';
import { printable } from '../command-line/printable.ts';

/** A verdict in words, the same in the terminal and on the verifier page. */
export interface VerdictReport {
  /** Marks of an affidavit that is not real (test or development); empty for a real one. */
  readonly marks: readonly string[];
  /** Identifies the affidavit, as far as known. */
  readonly about: string;
  /** Proofs captured in a browser, which cannot prove the origin of pictures; empty for none. */
  readonly captured: string;
  readonly checks: readonly string[];
  readonly end: string;
}

const signs = { ok: '✓', failed: '✗', skipped: '–' } as const;

/** Returns a verdict in words: each check by name, and the result. */
export function reportOf({ result, reason_code, checks, facts }: AffidavitVerdict): VerdictReport {
  // A file that is not an affidavit has no facts.
  const { livemode = true, development = false } = facts;
  const marks = marksOf({ livemode, development });
  const names = marks.map(({ name }) => name).join(', ');
  const end = reason_code ? `${result}: ${reason_code}` : result;
  return {
    marks: marks.map(({ name, words }) => `${name}: ${words}`),
    about: [facts.affidavit_id, facts.outcome, facts.sealed_at]
      .flatMap((fact) => (fact ? [printable(fact)] : []))
      .join(' · '),
    captured: browserWords(facts.captures ?? {}),
    checks: checks.map(
      ({ name, result: each, detail }) =>
        `${signs[each]} ${name}${detail ? ` (${printable(detail)})` : ''}`,
    ),
    end: result === 'valid' && names !== '' ? `${end} (${names})` : end,
  };
}

function browserWords(captures: Readonly<Record<string, Capture>>): string {
  const proofs = Object.keys(captures).filter((proof) => captures[proof] === 'browser');
  if (proofs.length === 0) return '';
  const names = proofs.map(printable).join(', ');
  return `captured by a browser, which cannot prove that pictures come from a camera: ${names}`;
}

/** Returns the trust anchor with which an affidavit was verified, in words. */
export function anchorText({ subject, raw }: X509Certificate): string {
  const sha256 = createHash('sha256').update(raw).digest('hex');
  return `trust anchor: ${printable(subject.split('\n').join(', '))}, SHA-256 ${sha256}`;
}
