import { readFile } from 'node:fs/promises';
import { EvidenceFileError, readEvidenceFile } from '../activities/evidence/file.ts';
import type { Verdict } from '../activities/evidence/verdict.ts';
import { verifyEvidence } from '../activities/evidence/verify.ts';

/** Judges an evidence file: 0 passed, 1 failed or inconclusive, 2 not understood. */
export async function verifyEvidenceFile(path: string, asJson: boolean): Promise<number> {
  try {
    const content = path === '-' ? await readStdin() : await readFile(path);
    const verdict = verifyEvidence(readEvidenceFile(content));
    process.stdout.write(asJson ? `${JSON.stringify(verdict, null, 2)}\n` : report(verdict));
    return verdict.verdict === 'passed' ? 0 : 1;
  } catch (error) {
    const known = error instanceof EvidenceFileError ? error.message : `${path}: cannot be read`;
    process.stderr.write(`${known}\n`);
    return 2;
  }
}

async function readStdin(): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function report({ kind, verdict, reason_code, checks }: Verdict): string {
  const marks = { ok: '✓', failed: '✗', skipped: '–' } as const;
  const lines = checks.map(
    ({ name, result, detail }) => `  ${marks[result]} ${name}${detail ? ` (${detail})` : ''}`,
  );
  return `${kind}\n${lines.join('\n')}\n${verdict}${reason_code ? `: ${reason_code}` : ''}\n`;
}
