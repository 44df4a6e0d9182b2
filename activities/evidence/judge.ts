import { EvidenceFileError, parseEvidence } from './file.ts';
import type { Verdict } from './verdict.ts';
import { verifyEvidence } from './verify.ts';

/**
 * Judges a file that was made here of what somebody handed in. What is so large or so odd that no
 * file can hold it is malformed evidence, not a fault of ours. Never throws.
 */
export function judgeEvidence(file: Readonly<Record<string, unknown>>): Verdict {
  try {
    return verifyEvidence(parseEvidence(file));
  } catch (error) {
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
}
