import type { AndroidIdentity } from '../../../domain/identity/app-identities.ts';
import type { EvidenceFile } from './enrollment.ts';
import { playPolicyOf } from './google/play-integrity.ts';
import { keyPolicyOf } from './judge-enrollment.ts';

const keyMinima = ['security_level_min', 'patch_level_min'] as const;

/**
 * Replaces the policies in the evidence of an Android enrollment with the app's current policy:
 * package, signers, and minimum key, patch level and integrity. A verdict under an earlier policy
 * does not count for an app that changed it. The minimum version stays as it was at enrollment:
 * only a fresh token shows which version runs now. Files of iPhones stay unchanged: each of their
 * assertions names the app.
 */
export function bindToCurrentApp(
  files: readonly EvidenceFile[],
  app: AndroidIdentity,
): readonly EvidenceFile[] {
  return files.map((file) => {
    const policy = Object(file['policy']) as Readonly<Record<string, unknown>>;
    if (file['kind'] === 'android-key-attestation') {
      return { ...file, policy: { ...without(policy, keyMinima), ...keyPolicyOf(app) } };
    }
    if (file['kind'] !== 'play-integrity') return file;
    const { version_min: _, ...asked } = playPolicyOf(app);
    return { ...file, policy: { ...without(policy, ['verdicts']), ...asked } };
  });
}

function without(
  policy: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(policy).filter(([name]) => !names.includes(name)));
}
