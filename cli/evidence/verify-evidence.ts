import { imageReaders } from '../../activities/proofs/image-readers.ts';
import { EvidenceFileError } from '../../domain/evidence/file.ts';
import { findRuns, type Run } from '../../domain/evidence/find-runs.ts';
import { splitExport } from '../../domain/evidence/split-export.ts';
import { findKeys } from '../../domain/judging/attested-keys.ts';
import { readEvidenceFile } from '../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../domain/judging/verifiers.ts';
import { notRepeatable } from '../../domain/proofs/phone/verify-sms-code.ts';
import type { CheckResult, Verdict } from '../../domain/proofs/verdict.ts';
import { printable, printableJson } from '../command-line/printable.ts';
import { reasonOf } from '../command-line/reason.ts';
import { readPieces } from '../verify/read-named.ts';

/** Verdicts on hashes, and on the files together. They are not verdicts on evidence. */
const hashKind = 'evidence-hash';
const besides = [hashKind, 'device-key'];

export interface EvidenceOptions {
  readonly json?: boolean;
  /** `evidence_hash` values; their files must be in the input. */
  readonly hash?: readonly string[];
}

/**
 * Judges an evidence file, or an export of several, one per line. Exit codes: 0 everything that can
 * be judged passed; 1 one failed, is inconclusive, or a given hash has no files; 2 one is
 * unreadable, and the rest is not read. After the files, each hash has its own verdict. So does the
 * phone's key if a request was signed with another key than the attested one.
 */
export async function verifyEvidenceFile(
  path: string,
  { json: asJson = false, hash: hashes = [] }: EvidenceOptions = {},
): Promise<number> {
  const verdicts: Verdict[] = [];
  const runs = findRuns();
  const keys = findKeys();
  let fault: string | null = null;
  try {
    for await (const content of splitExport(readPieces(path))) {
      const file = readEvidenceFile(content);
      if (hashes.length > 0) runs.take(file);
      const verdict = await verifyAnyEvidence(file, imageReaders);
      keys.take(file, verdict);
      verdicts.push(verdict);
    }
    const together = keys.verdict();
    if (together) verdicts.push(together);
    for (const hash of hashes) verdicts.push(onHash(hash, runs.find(hash.toLowerCase())));
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

/** Returns the verdict on a hash: whether files have it, and the numbers of their lines, from 1. */
function onHash(hash: string, run: Run | null): Verdict {
  const common = { format: 'trustcheck-verdict/1', kind: hashKind } as const;
  const facts = { evidence_hash: hash };
  const check = (result: CheckResult, detail: string) => [{ name: 'hash', result, detail }];
  if (run) {
    const checks = check('ok', `lines ${run.join(' to ')}`);
    return { ...common, verdict: 'passed', reason_code: null, checks, facts };
  }
  const checks = check('failed', hash);
  return { ...common, verdict: 'failed', reason_code: 'evidence_differs', checks, facts };
}

/** A record among them is no failure; only records prove nothing. */
function hasPassed(verdicts: readonly Verdict[]): boolean {
  const judged = verdicts.filter(({ reason_code }) => reason_code !== notRepeatable);
  return (
    judged.some(({ kind }) => !besides.includes(kind)) &&
    judged.every(({ verdict }) => verdict === 'passed')
  );
}

/** Returns the verdict of a single file as an object, and several as an array. */
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
