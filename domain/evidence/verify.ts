import { wasRemoved } from '../proofs/file-members.ts';
import type { Verdict } from '../proofs/verdict.ts';
import type { BindingFault } from './binding.ts';
import type { Listed, Understood } from './file.ts';

/** How a proof judges one kind of its evidence files. */
export interface Verifier<File, Readers> {
  /** Judges a file synchronously. */
  readonly judge?: (file: File) => Verdict;
  /** Opens the token of a file and judges it. */
  readonly open?: (file: File) => Promise<Verdict>;
  /** Reads the images of a complete file, which takes seconds, and judges it. */
  readonly read?: (file: File, readers: Readers) => Promise<Verdict>;
  /** Whether a file without its removed images can still be judged. */
  readonly isJudgedWithoutImages?: boolean;
}

/**
 * Judges a file by its verifier, at the time that the file names.
 * @throws TypeError for a file with images if no `readers` are given
 */
export async function verifyLater<File extends Understood<Listed>, Readers>(
  file: File,
  verifier: Verifier<File, Readers>,
  readers?: Readers,
): Promise<Verdict> {
  if (file.fault) return refuse(file.kind, file.fault);
  if (verifier.open) return verifier.open(file);
  if (!verifier.read || !readers || wasRemoved(file)) return verifyNow(file, verifier);
  return verifier.read(file, readers);
}

/**
 * Judges a file synchronously.
 * @throws `TypeError` for tokens and images
 */
export function verifyNow<File extends Understood<Listed>, Readers>(
  file: File,
  verifier: Verifier<File, Readers>,
): Verdict {
  if (file.fault) return refuse(file.kind, file.fault);
  if (wasRemoved(file)) return verifyRest(file, verifier);
  if (!verifier.judge) throw new TypeError('images and tokens are for verifyAnyEvidence');
  return verifier.judge(file);
}

/** The verdict of a file that does not match its list: it is not the file that was judged. */
const refuse = (kind: string, { reason, path }: BindingFault): Verdict => ({
  format: 'trustcheck-verdict/1',
  kind,
  verdict: 'failed',
  reason_code: reason,
  checks: [{ name: 'images', result: 'failed', detail: path }],
  facts: {},
});

/**
 * Judges a file after removal of its images. Chip data can still be judged; a photographed document
 * cannot. The verdict is at best inconclusive, because the complete file was judged.
 */
function verifyRest<File extends Understood<Listed>, Readers>(
  file: File,
  { judge, isJudgedWithoutImages = false }: Verifier<File, Readers>,
): Verdict {
  const detail = `${file.removed?.length ?? 0} removed`;
  const images = { name: 'images', result: 'skipped', detail } as const;
  if (!judge || !isJudgedWithoutImages) {
    return {
      format: 'trustcheck-verdict/1',
      kind: file.kind,
      verdict: 'inconclusive',
      reason_code: 'evidence_removed',
      checks: [images],
      facts: {},
    };
  }
  const rest = judge(file);
  const checks = [...rest.checks, images];
  if (rest.verdict === 'failed') return { ...rest, checks };
  return { ...rest, verdict: 'inconclusive', reason_code: 'evidence_removed', checks };
}
