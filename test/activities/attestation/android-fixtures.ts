import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readStatusList } from '../../../domain/proofs/device/android/status-list.ts';
import {
  verifyAndroidKeyAttestation,
  type AndroidPolicy,
} from '../../../domain/proofs/device/android/verify-android-key-attestation.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { writeKeyDescription } from '../../../simulator/android/key-description.ts';
import {
  createAndroidPhone,
  genuineKey,
  type AndroidChanges,
} from '../../../simulator/android/phone.ts';
import {
  createAndroidDevelopmentRoot,
  type AndroidDevelopmentRoot,
} from '../../../simulator/roots/android.ts';

export interface AndroidVector {
  readonly id?: string;
  readonly name?: string;
  /** Base64. */
  readonly chain: readonly string[];
  readonly challenge?: string;
  readonly recordedAt?: string;
  readonly publicKeySpki?: string | null;
  readonly expected?: Record<string, unknown>;
}

const read = (file: string): { vectors: AndroidVector[] } =>
  JSON.parse(readFileSync(new URL(`../../vectors/${file}`, import.meta.url), 'utf8'));

export const vectors = [
  ...read('android-keyattestation.json').vectors,
  ...read('android-keyattestation-warden.json').vectors,
];

export function vectorOf(name: string): AndroidVector {
  const vector = vectors.find((one) => (one.id ?? one.name) === name);
  if (!vector) throw new Error(`no vector ${name}`);
  return vector;
}

export const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

export const at = new Date('2026-11-21T00:00:00Z');
export const challenge = Buffer.from('a challenge of thirty-two octets');
export const root = createAndroidDevelopmentRoot(at);
export const app = {
  packageName: 'com.example.trust',
  signatureDigest: createHash('sha256').update('a synthetic signing certificate').digest(),
};
/** What a genuine phone says of its key. */
export const description = writeKeyDescription(genuineKey(app, challenge, at));
const nobodyRevoked = readStatusList({ entries: {} });

/** Everything that can be asked of a phone under this root. */
export const policyFor = ({ rootPem }: AndroidDevelopmentRoot): AndroidPolicy => ({
  packages: [app.packageName],
  signatureDigests: [app.signatureDigest],
  patchLevelMin: 202_611,
  revocation: nobodyRevoked,
  rootPems: [rootPem],
});

export const policy = policyFor(root);

/** The chain of a new key of a simulated phone. */
export const mint = (changes: AndroidChanges = {}, under = root): Uint8Array[] =>
  createAndroidPhone({ root: under, app, now: () => at }).attest(challenge, changes);

export const judge = (chain: readonly Uint8Array[], changes: AndroidPolicy = {}): Verdict =>
  verifyAndroidKeyAttestation({ ...policy, ...changes }, { chain, challenge }, at);

/** `passed`, or the reason and every check that failed: `key_revoked at revocation`. */
export function outcome({ reason_code, checks }: Verdict): string {
  const failed = checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
  return failed.length === 0 ? (reason_code ?? 'passed') : `${reason_code} at ${failed.join(' ')}`;
}

export function flipped(file: Uint8Array, bit: number): Uint8Array {
  const changed = Buffer.from(file);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}
