import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { findRuns } from '../../domain/evidence/find-runs.ts';
import { splitExport } from '../../domain/evidence/split-export.ts';
import { readPieces } from './read-named.ts';
import { readEvidenceFile } from '../../domain/judging/files.ts';

/**
 * Compares an export with an affidavit. For each proof with evidence, the files of its hash must be
 * in the export, with their images or with the recorded data of removed ones. Does not judge the
 * evidence; `evidence verify` does.
 * @throws if the export is unreadable
 */
export function compareEvidence(
  verdict: AffidavitVerdict,
  path: string,
): Promise<AffidavitVerdict> {
  return comparePieces(verdict, readPieces(path));
}

/** Same as `compareEvidence` for an export that is read in pieces. */
export async function comparePieces(
  verdict: AffidavitVerdict,
  pieces: AsyncIterable<Uint8Array>,
): Promise<AffidavitVerdict> {
  const runs = findRuns();
  for await (const content of splitExport(pieces)) runs.take(readEvidenceFile(content));
  const { evidence } = verdict.facts;
  if (Object.keys(evidence ?? {}).length === 0) {
    const detail = evidence
      ? 'the affidavit names no evidence'
      : 'the attached data is not readable';
    const skipped = { name, result: 'skipped', detail } as const;
    return { ...verdict, checks: [...verdict.checks, skipped] };
  }
  const missing = Object.entries(evidence ?? {}).filter(([, hash]) => runs.find(hash) === null);
  if (missing.length === 0) {
    return { ...verdict, checks: [...verdict.checks, { name, result: 'ok' }] };
  }
  const detail = missing.map(([proof]) => proof).join(', ');
  return {
    ...verdict,
    result: 'invalid',
    reason_code: verdict.result === 'invalid' ? verdict.reason_code : 'evidence_differs',
    checks: [...verdict.checks, { name, result: 'failed', detail }],
  };
}

const name = 'evidence';
