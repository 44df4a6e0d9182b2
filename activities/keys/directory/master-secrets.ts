import {
  firstVersion,
  overlapMsOf,
  secretPurposes,
  type ExpiringPurpose,
  type PinnedPurpose,
  type SecretPurpose,
  type StoredPurpose,
} from '../../../domain/secret-purposes.ts';
import { Failure } from '../../../workflows/failures.ts';
import { deriveSecret, type SecretVersion } from './load-secrets.ts';

/**
 * Secrets that are derived from the versions of the master secret (HKDF-SHA-256, RFC 5869), 32
 * bytes each. docs/decisions/009-secrets-and-rotation.md
 */
export interface MasterSecrets {
  readonly secretVersions: readonly SecretVersion[];
  /** The version that new values use. Throws like `secret`. */
  readonly secretVersion: number;
  /**
   * Returns the secret that new values use. A pinned purpose always uses the first version.
   * @throws Failure `dependency_unavailable` while the current version is known to be stolen
   */
  secret(purpose: SecretPurpose): Buffer;
  /**
   * Returns the secrets that verify values: of the current version, of the next one, and of each
   * retired version until its last value expires.
   */
  acceptedSecrets(purpose: ExpiringPurpose, now: Date): Buffer[];
  /**
   * Returns the secret of one version; null when that version is stolen or removed.
   * @throws Failure `dependency_unavailable` for a stored purpose until this process has the files
   */
  secretOf(purpose: StoredPurpose | PinnedPurpose, version: number): Buffer | null;
}

const retryAfterSeconds = 5;

/** Creates the secrets of loaded versions. Each secret is derived once. */
export function masterSecretsOf(versions: readonly SecretVersion[]): MasterSecrets {
  const derived = new Map<string, Buffer>();
  const newest = Math.max(...versions.map(({ version }) => version));
  const derive = ({ version, secret }: SecretVersion, purpose: SecretPurpose): Buffer => {
    const name = `${version}|${purpose}`;
    const known = derived.get(name);
    if (known) return known;
    const made = deriveSecret(secret, purpose);
    derived.set(name, made);
    return made;
  };
  const current = (): SecretVersion => {
    const found = versions.find(({ state }) => state === 'current');
    if (found) return found;
    throw outdated('The master secret was revoked');
  };
  const secretOf = (purpose: SecretPurpose, version: number): Buffer | null => {
    const found = versions.find((each) => each.version === version);
    if (secretPurposes[purpose].kind === 'stored' && version > newest) {
      throw outdated(`Version ${version} of the master secret is not known here`);
    }
    const isGood = found?.state !== 'revoked' || secretPurposes[purpose].kind === 'pinned';
    return found && isGood ? derive(found, purpose) : null;
  };
  return {
    secretVersions: versions,
    get secretVersion() {
      return current().version;
    },
    secret(purpose) {
      if (secretPurposes[purpose].kind !== 'pinned') return derive(current(), purpose);
      const pinned = secretOf(purpose, firstVersion);
      if (!pinned) throw new Error('the first version of the master secret is missing');
      return pinned;
    },
    acceptedSecrets: (purpose, now) =>
      versions
        .filter((version) => isAccepted(version, purpose, now))
        .map((version) => derive(version, purpose)),
    secretOf,
  };
}

const outdated = (what: string): Failure =>
  new Failure('dependency_unavailable', {
    detail: `${what}; this process needs the new key files`,
    retryAfterSeconds,
  });

/**
 * A stolen version still recognizes frames: a match only marks a frame as seen, which helps no
 * thief.
 */
function isAccepted(
  { state, endedAt }: SecretVersion,
  purpose: ExpiringPurpose,
  now: Date,
): boolean {
  if (state === 'revoked' && purpose !== 'face-marks') return false;
  const overlapMs = overlapMsOf(purpose);
  return endedAt === null || overlapMs === null || endedAt.getTime() + overlapMs > now.getTime();
}
