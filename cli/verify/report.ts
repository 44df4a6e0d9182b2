import { createHash, type X509Certificate } from 'node:crypto';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import type { Capture } from '../../domain/names.ts';
import { marksOf } from '../../domain/pdf/layout/marks.ts';
import { printable } from '../command-line/printable.ts';

/** A verdict in words: what the terminal and the page of the verifier say alike. */
export interface VerdictReport {
  /** What keeps it from being taken for the real thing; empty for a real one. */
  readonly marks: readonly string[];
  /** Which affidavit it is, as far as that is known. */
  readonly about: string;
  /** What a browser captured, which cannot prove where pictures come from; empty for nothing. */
  readonly captured: string;
  readonly checks: readonly string[];
  readonly end: string;
}

const signs = { ok: '✓', failed: '✗', skipped: '–' } as const;

/** Says a verdict: each check by name, and how it ends. */
export function reportOf({ result, reason_code, checks, facts }: AffidavitVerdict): VerdictReport {
  // Of a file that is no affidavit nothing is known.
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

/** What an affidavit was held against. */
export function anchorText({ subject, raw }: X509Certificate): string {
  const sha256 = createHash('sha256').update(raw).digest('hex');
  return `trust anchor: ${printable(subject.split('\n').join(', '))}, SHA-256 ${sha256}`;
}
