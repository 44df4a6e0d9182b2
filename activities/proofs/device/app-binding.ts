import type { AndroidIdentity } from '../../../domain/identity/app-identities.ts';
import type { EvidenceFile } from './enrollment.ts';
import { playPolicyOf } from './google/play-integrity.ts';
import { keyPolicyOf } from './judge-enrollment.ts';

const keyMinima = ['security_level_min', 'patch_level_min'] as const;

/**
 * What an Android phone was enrolled by, as the app asks for it today: its package, those who sign
 * it, the least of key, patches and integrity. What was judged long ago does not speak for an app
 * that has changed since. The version of the app is left as it was asked for then: it has been
 * built anew, and a fresh token alone tells which runs. Files of iPhones stay as they are: what
 * they sign tells of the app each time.
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
