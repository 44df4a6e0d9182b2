import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { findRuns } from '../../domain/evidence/find-runs.ts';
import { splitExport } from '../../domain/evidence/split-export.ts';
import { readPieces } from './read-named.ts';
import { readEvidenceFile } from '../../domain/judging/files.ts';

/**
 * Holds an export against an affidavit: for each proof that has evidence the files have to be there
 * that its hash was computed over, with their images or with what was told of those that are gone.
 * What they are worth says `evidence verify`. Throws where the export is not understood.
 */
export function compareEvidence(
  verdict: AffidavitVerdict,
  path: string,
): Promise<AffidavitVerdict> {
  return comparePieces(verdict, readPieces(path));
}

/** The same of an export that is read piece by piece. */
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
