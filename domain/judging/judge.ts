import { EvidenceFileError } from '../evidence/file.ts';
import type { Verdict } from '../proofs/verdict.ts';
import { verifyAnyEvidence, verifyEvidence, type ImageReaders } from './verifiers.ts';
import { parseEvidence } from './files.ts';

type File = Readonly<Record<string, unknown>>;

/**
 * Judges a file made from a submission. Its images are listed later, when the file is stored. A
 * file over the limits is malformed evidence, not a server fault.
 * @throws TypeError for a kind that only `judgeAnyEvidence` judges
 */
export function judgeEvidence(file: File): Verdict {
  try {
    return verifyEvidence(parseEvidence({ images: [], ...file }));
  } catch (error) {
    return malformed(file, error);
  }
}

/** Like `judgeEvidence`, for every kind; `readers` as in `verifyAnyEvidence`. */
export async function judgeAnyEvidence(file: File, readers?: ImageReaders): Promise<Verdict> {
  try {
    return await verifyAnyEvidence(parseEvidence({ images: [], ...file }), readers);
  } catch (error) {
    return malformed(file, error);
  }
}

function malformed(file: File, error: unknown): Verdict {
  if (!(error instanceof EvidenceFileError)) throw error;
  return {
    format: 'trustcheck-verdict/1',
    kind: String(file['kind']),
    verdict: 'failed',
    reason_code: 'malformed',
    checks: [{ name: 'parse', result: 'failed', detail: error.message }],
    facts: {},
  };
}
