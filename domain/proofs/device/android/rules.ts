import { timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Certificate } from '../../../pki/x509/certificate.ts';
import type { RuleAnswer } from '../../verdict.ts';
import { certifiedLevelOf, type Chain } from './chain.ts';
import type { KeyDescription } from './key-description.ts';

export type SecurityLevel = 'SOFTWARE' | 'TRUSTED_ENVIRONMENT' | 'STRONG_BOX';

/** Weakest first. */
const securityLevels: readonly SecurityLevel[] = ['SOFTWARE', 'TRUSTED_ENVIRONMENT', 'STRONG_BOX'];
const origins = ['GENERATED', 'DERIVED', 'IMPORTED', 'RESERVED', 'SECURELY_IMPORTED'];
const bootStates = ['VERIFIED', 'SELF_SIGNED', 'UNVERIFIED', 'FAILED'];
const purposes = [
  'ENCRYPT',
  'DECRYPT',
  'SIGN',
  'VERIFY',
  'DERIVE_KEY',
  'WRAP_KEY',
  'AGREE_KEY',
  'ATTEST_KEY',
];
const curves = ['P-224', 'P-256', 'P-384', 'P-521', 'CURVE_25519'];
const algorithms = new Map([
  [1, 'RSA'],
  [3, 'EC'],
  [32, 'AES'],
  [33, 'TRIPLE_DES'],
  [128, 'HMAC'],
]);
const sign = purposes.indexOf('SIGN');

/** Requirements for a key's description; absent ones are not checked. */
export interface KeyPolicy {
  /** Default: `TRUSTED_ENVIRONMENT`. */
  readonly securityLevelMin?: SecurityLevel | undefined;
  /** Default: true. */
  readonly requireLocked?: boolean | undefined;
  readonly packages?: readonly string[] | undefined;
  /** SHA-256 of the allowed signing certificates of the app. */
  readonly signatureDigests?: readonly Uint8Array[] | undefined;
  /** YYYYMM. */
  readonly patchLevelMin?: number | undefined;
}

/** Checks that the phone signed our challenge; an empty challenge never matches. */
export function checkChallenge(key: KeyDescription, challenge: Uint8Array): RuleAnswer {
  const isOurs = challenge.length > 0 && isEqual(key.challenge, challenge);
  return isOurs ? { ok: true } : { fault: 'challenge_mismatch' };
}

/**
 * Checks that key and attestation are in the same hardware, at least as strong as required and as
 * certified.
 */
export function checkSecurityLevel(
  key: KeyDescription,
  { securityLevelMin = 'TRUSTED_ENVIRONMENT' }: KeyPolicy,
  chain: Chain,
): RuleAnswer {
  const { attestationSecurityLevel: level, keymintSecurityLevel: keymintLevel } = key;
  const detail = `${levelOf(level)}, key in ${levelOf(keymintLevel)}`;
  const lower = Math.min(level, keymintLevel);
  if (lower < 1 && securityLevelMin !== 'SOFTWARE') return { fault: 'software_key', detail };
  if (level !== keymintLevel) return { fault: 'security_level_mismatch', detail };
  if (!securityLevels[level] || lower < securityLevels.indexOf(securityLevelMin)) {
    return { fault: 'security_level_low', detail };
  }
  const certified = certifiedLevelOf(chain);
  const isCertified = certified === null || (certified === 'StrongBox') === (level === 2);
  return isCertified ? { ok: true } : { fault: 'security_level_mismatch', detail };
}

const curvesOfNode = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'];
const curve25519 = 4;

/** Whether a key has the algorithm, size and curve that the hardware describes. */
function isDescribed(key: KeyObject | null, { hardware }: KeyDescription): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const algorithm = algorithmOf(hardware.algorithm);
  if (type === 'rsa') return algorithm === 'RSA' && details?.modulusLength === hardware.keySize;
  if (algorithm !== 'EC') return false;
  if (type === 'ed25519' || type === 'x25519') return hardware.ecCurve === curve25519;
  if (type !== 'ec') return false;
  const curve = curvesOfNode.indexOf(details?.namedCurve ?? '');
  const size = ecSizes[curve];
  // KeyMaster 1 names no curve, only the size.
  return (hardware.ecCurve ?? curve) === curve && (hardware.keySize ?? size) === size;
}
const ecSizes = [224, 256, 384, 521];

/** Checks that the described key is the leaf's and was generated in the hardware. */
export function checkOrigin(key: KeyDescription, leaf: Certificate | undefined): RuleAnswer {
  const { origin } = key.hardware;
  if (origin !== 0) {
    return { fault: 'key_not_generated', detail: nameOf(origins, origin) ?? 'unknown' };
  }
  const leafKey = leaf?.publicKey() ?? null;
  if (isDescribed(leafKey, key)) return { ok: true };
  const detail = leafKey ? 'another kind of key than described' : 'the key cannot be read';
  return { fault: 'public_key_mismatch', detail };
}

/**
 * Checks verified boot, as the hardware reports it: the maker's system and a locked boot loader.
 */
export function checkRootOfTrust(
  { hardware }: KeyDescription,
  { requireLocked = true }: KeyPolicy,
): RuleAnswer {
  const root = hardware.rootOfTrust;
  const state = nameOf(bootStates, root?.verifiedBootState ?? null);
  const detail = root ? `${state}, ${root.deviceLocked ? 'locked' : 'unlocked'}` : 'absent';
  if (!requireLocked) return { skipped: `not asked: ${detail}` };
  if (root?.deviceLocked && root.verifiedBootState === 0) return { ok: true };
  return { fault: 'boot_unverified', detail };
}

/**
 * Checks the app, as the verified system reports it: one of our apps, signed by one of our keys.
 */
export function checkApplicationId(key: KeyDescription, policy: KeyPolicy): RuleAnswer {
  const { packages, signatureDigests } = policy;
  if (!packages && !signatureDigests) return { skipped: 'not asked' };
  const app = applicationIdOf(key);
  if (packages && !app?.packages.some((name) => packages.includes(name))) {
    return { fault: 'package_mismatch', detail: app ? 'another package' : 'absent' };
  }
  if (!signatureDigests) return { ok: true };
  const isSigned = app?.signatureDigests.some((digest) =>
    signatureDigests.some((known) => isEqual(known, digest)),
  );
  return isSigned ? { ok: true } : { fault: 'signature_mismatch' };
}

/** Compares months only, since the patch level has no day; a few phones state one. */
export function checkPatchLevel({ hardware }: KeyDescription, policy: KeyPolicy): RuleAnswer {
  if (policy.patchLevelMin === undefined) return { skipped: 'not asked' };
  const level = hardware.osPatchLevel;
  if (level === null) return { fault: 'patch_level_low', detail: 'absent' };
  if (monthOf(level) >= monthOf(policy.patchLevelMin)) return { ok: true };
  return { fault: 'patch_level_low', detail: String(level) };
}

/** Checks that the hardware allows the key to sign. */
export function checkPurposes({ hardware }: KeyDescription): RuleAnswer {
  return hardware.purposes.includes(sign) ? { ok: true } : { fault: 'purpose_missing' };
}

/** Returns the content of the description, by the names of the evidence format. */
export function describe(key: KeyDescription | null): Record<string, unknown> {
  const hardware = key?.hardware;
  const app = key && applicationIdOf(key);
  return {
    attestation_version: key?.attestationVersion ?? null,
    attestation_security_level: key ? levelOf(key.attestationSecurityLevel) : null,
    keymint_version: key?.keymintVersion ?? null,
    keymint_security_level: key ? levelOf(key.keymintSecurityLevel) : null,
    challenge: key ? base64Of(key.challenge) : null,
    verified_boot_state: nameOf(bootStates, hardware?.rootOfTrust?.verifiedBootState ?? null),
    device_locked: hardware?.rootOfTrust?.deviceLocked ?? null,
    os_version: hardware?.osVersion ?? null,
    os_patch_level: hardware?.osPatchLevel ?? null,
    packages: app?.packages ?? [],
    signature_digests: app?.signatureDigests.map(base64Of) ?? [],
    algorithm: algorithmOf(hardware?.algorithm ?? null),
    key_size: hardware?.keySize ?? null,
    ec_curve: nameOf(curves, hardware?.ecCurve ?? null),
    purposes: hardware?.purposes.map((purpose) => nameOf(purposes, purpose)) ?? [],
    origin: nameOf(origins, hardware?.origin ?? null),
  };
}

/** The system adds it to its own list; a few phones bind it to the key in hardware. */
const applicationIdOf = ({ software, hardware }: KeyDescription) =>
  software.applicationId ?? hardware.applicationId;

const levelOf = (level: number): string => securityLevels[level] ?? `UNKNOWN_${level}`;

const algorithmOf = (algorithm: number | null): string | null =>
  algorithm === null ? null : (algorithms.get(algorithm) ?? `UNKNOWN_${algorithm}`);

const nameOf = (names: readonly string[], value: number | null): string | null =>
  value === null ? null : (names[value] ?? `UNKNOWN_${value}`);

const monthOf = (level: number): number => (level > 999_999 ? Math.floor(level / 100) : level);

const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
