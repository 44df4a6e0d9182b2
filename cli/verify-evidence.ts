import { EvidenceFileError, readEvidenceFile } from '../activities/evidence/file.ts';
import { splitExport } from '../activities/evidence/split-export.ts';
import type { Verdict } from '../activities/evidence/verdict.ts';
import { verifyAnyEvidence } from '../activities/evidence/verify.ts';
import { notRepeatable } from '../activities/phone/verify-sms-code.ts';
import { reasonOf } from './platform/reason.ts';
import { printable, printableJson } from './printable.ts';
import { readPieces } from './read-named.ts';

/**
 * Judges an evidence file, or an export of several, one a line: 0 all that can be judged passed, 1
 * one failed or is inconclusive, 2 one is not understood, and what follows it is not read.
 */
export async function verifyEvidenceFile(path: string, asJson: boolean): Promise<number> {
  const verdicts: Verdict[] = [];
  let fault: string | null = null;
  try {
    for await (const content of splitExport(readPieces(path))) {
      verdicts.push(await verifyAnyEvidence(readEvidenceFile(content)));
    }
  } catch (error) {
    const isLine = error instanceof EvidenceFileError && verdicts.length > 0;
    fault = printable(`${isLine ? `line ${verdicts.length + 1}: ` : ''}${reasonOf(error)}`);
  }
  const isWhole = fault === null;
  if (verdicts.length > 0) {
    process.stdout.write(asJson ? jsonOf(verdicts, isWhole) : report(verdicts, isWhole));
  }
  if (isWhole) return hasPassed(verdicts) ? 0 : 1;
  process.stderr.write(`${fault}\n`);
  return 2;
}

/** A record among them is no fault; records alone prove nothing. */
function hasPassed(verdicts: readonly Verdict[]): boolean {
  const judged = verdicts.filter(({ reason_code }) => reason_code !== notRepeatable);
  return judged.length > 0 && judged.every(({ verdict }) => verdict === 'passed');
}

/** The verdict on a file of one as itself, those on several as an array. */
function jsonOf(verdicts: readonly Verdict[], isWhole: boolean): string {
  return `${printableJson(verdicts.length === 1 && isWhole ? verdicts[0] : verdicts)}\n`;
}

function report(verdicts: readonly Verdict[], isWhole: boolean): string {
  const [only, ...more] = verdicts;
  if (only && more.length === 0 && isWhole) return reportOne(only);
  return verdicts.map((verdict, index) => `${index + 1} ${lineOf(verdict)}\n`).join('');
}

function reportOne({ kind, checks, ...verdict }: Verdict): string {
  const marks = { ok: '✓', failed: '✗', skipped: '–' } as const;
  const lines = checks.map(
    ({ name, result, detail }) =>
      `  ${marks[result]} ${name}${detail ? ` (${printable(detail)})` : ''}`,
  );
  return `${kind}\n${lines.join('\n')}\n${endOf(verdict)}\n`;
}

function lineOf({ kind, checks, ...verdict }: Verdict): string {
  const failed = checks.filter(({ result }) => result === 'failed');
  const names = failed.map(({ name, detail }) => (detail ? `${name}: ${printable(detail)}` : name));
  return `${kind} ${endOf(verdict)}${names.length > 0 ? ` (${names.join('; ')})` : ''}`;
}

function endOf({ verdict, reason_code, facts }: Omit<Verdict, 'kind' | 'checks'>): string {
  const end = reason_code ? `${verdict}: ${reason_code}` : verdict;
  return facts['development_root'] === true
    ? `${end} (DEVELOPMENT: under a simulator's root)`
    : end;
}
