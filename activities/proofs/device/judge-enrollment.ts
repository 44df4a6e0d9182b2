import { createHash } from 'node:crypto';
import type { AndroidIdentity, AppleIdentity } from '../../../domain/identity/app-identities.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';
import type { AndroidSecurityLevel } from '../../../domain/names.ts';
import {
  buildPolicyOf,
  type AppleEnvironment,
} from '../../../domain/proofs/device/apple/apple-app.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';

/** Trust settings for attestations. */
export interface AttestationTrust {
  readonly environment: AppleEnvironment;
  /** PEM of development roots that are trusted besides the vendors', or null. */
  readonly developmentRootsPem: string | null;
  /** The vendors' roots as PEM, to combine with development roots. */
  readonly appleRootPem: string;
  readonly googleRootPems: readonly string[];
}

/** The attestation that a device submits for its enrollment. Bytes are raw. */
export type Enrollment =
  | {
      readonly platform: 'ios';
      readonly app: AppleIdentity;
      readonly keyId: Uint8Array;
      readonly attestation: Uint8Array;
    }
  | {
      readonly platform: 'android';
      readonly app: AndroidIdentity;
      readonly chain: readonly Uint8Array[];
      /** The published revocation entries for this chain. */
      readonly revocation: unknown;
    };

export interface JudgedEnrollment {
  /** The evidence file that the verdict is based on. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly verdict: Verdict;
  /** SubjectPublicKeyInfo of the attested key, DER; null when it cannot be read. */
  readonly publicKeySpki: Buffer | null;
  /** Identifies one install: the App Attest key id, or the SHA-256 of the key. */
  readonly attestedKeyId: string | null;
}

/**
 * Judges an enrollment over our challenge, on the same file that an auditor judges again. It
 * returns a verdict also for hostile bytes, and never throws.
 */
export function judgeEnrollment(
  trust: AttestationTrust,
  enrollment: Enrollment,
  challenge: Uint8Array,
  now: Date,
): JudgedEnrollment {
  const file =
    enrollment.platform === 'ios'
      ? appleFile(trust, enrollment, challenge, now)
      : androidFile(trust, enrollment, challenge, now);
  const verdict = judgeEvidence(file);
  const spki = verdict.facts['public_key_spki'];
  const publicKeySpki = typeof spki === 'string' ? Buffer.from(spki, 'base64') : null;
  return { file, verdict, publicKeySpki, attestedKeyId: keyIdOf(enrollment, publicKeySpki) };
}

function appleFile(
  trust: AttestationTrust,
  { app, keyId, attestation }: Extract<Enrollment, { platform: 'ios' }>,
  challenge: Uint8Array,
  now: Date,
) {
  const { developmentRootsPem, appleRootPem, environment } = trust;
  const roots = developmentRootsPem && { root_pem: `${appleRootPem}\n${developmentRootsPem}` };
  return {
    format: 'trustcheck-evidence/1',
    kind: 'apple-attestation',
    at: now.toISOString(),
    policy: {
      team_id: app.team_id,
      bundle_id: app.bundle_id,
      environment,
      ...buildPolicyOf(app),
      ...roots,
    },
    input: {
      attestation: base64(attestation),
      key_id: base64(keyId),
      client_data: base64(challenge),
    },
  };
}

function androidFile(
  trust: AttestationTrust,
  { app, chain, revocation }: Extract<Enrollment, { platform: 'android' }>,
  challenge: Uint8Array,
  now: Date,
) {
  const { developmentRootsPem, googleRootPems } = trust;
  const roots = developmentRootsPem && { root_pems: [...googleRootPems, developmentRootsPem] };
  return {
    format: 'trustcheck-evidence/1',
    kind: 'android-key-attestation',
    at: now.toISOString(),
    policy: { ...keyPolicyOf(app), revocation, ...roots },
    input: { chain: chain.map(base64), challenge: base64(challenge) },
  };
}

/** Returns the key policy of an Android app in the form of its evidence. */
export const keyPolicyOf = (app: AndroidIdentity) => ({
  packages: [app.package],
  signature_digests: app.signature_digests.map(base64OfHex),
  ...(app.security_level_min && { security_level_min: levels[app.security_level_min] }),
  ...(app.patch_level_min === undefined ? {} : { patch_level_min: app.patch_level_min }),
});

/** Security levels in the form of the evidence. */
const levels: Readonly<Record<AndroidSecurityLevel, string>> = {
  trusted_environment: 'TRUSTED_ENVIRONMENT',
  strong_box: 'STRONG_BOX',
};

function keyIdOf(enrollment: Enrollment, spki: Buffer | null): string | null {
  if (enrollment.platform === 'ios') return Buffer.from(enrollment.keyId).toString('base64url');
  return spki && createHash('sha256').update(spki).digest('base64url');
}

/** Converts hex, with or without colons (`AA:BB:…`), to base64. */
export const base64OfHex = (hex: string): string =>
  Buffer.from(hex.replaceAll(':', ''), 'hex').toString('base64');

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
