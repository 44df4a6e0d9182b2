import { createHash } from 'node:crypto';
import type { AndroidIdentity, AppleIdentity } from '../../../domain/identity/app-identities.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';
import type { AndroidSecurityLevel } from '../../../domain/names.ts';
import {
  buildPolicyOf,
  type AppleEnvironment,
} from '../../../domain/proofs/device/apple/apple-app.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';

/** What attestations are held against, settled at start. */
export interface AttestationTrust {
  readonly environment: AppleEnvironment;
  /** PEM of development roots that are trusted besides the vendors', or null. */
  readonly developmentRootsPem: string | null;
  /** The vendors' roots as PEM, for where development roots stand beside them. */
  readonly appleRootPem: string;
  readonly googleRootPems: readonly string[];
}

/** What a phone offers to be enrolled by. Bytes are raw. */
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
      /** What the vendor has revoked of this chain, as published. */
      readonly revocation: unknown;
    };

export interface JudgedEnrollment {
  /** The evidence file the verdict was made on, for the auditor. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly verdict: Verdict;
  /** SubjectPublicKeyInfo of the attested key, DER; null when it could not be read. */
  readonly publicKeySpki: Buffer | null;
  /** What makes the key one install: the App Attest key id, or the key's own SHA-256. */
  readonly attestedKeyId: string | null;
}

/**
 * Judges an enrollment over our challenge by the very file an auditor judges again.
 * Answers for hostile bytes; never throws.
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

/** What an app asks of the key of an Android phone, as its evidence names it. */
export const keyPolicyOf = (app: AndroidIdentity) => ({
  packages: [app.package],
  signature_digests: app.signature_digests.map(base64OfHex),
  ...(app.security_level_min && { security_level_min: levels[app.security_level_min] }),
  ...(app.patch_level_min === undefined ? {} : { patch_level_min: app.patch_level_min }),
});

/** As the evidence of a key spells them. */
const levels: Readonly<Record<AndroidSecurityLevel, string>> = {
  trusted_environment: 'TRUSTED_ENVIRONMENT',
  strong_box: 'STRONG_BOX',
};

function keyIdOf(enrollment: Enrollment, spki: Buffer | null): string | null {
  if (enrollment.platform === 'ios') return Buffer.from(enrollment.keyId).toString('base64url');
  return spki && createHash('sha256').update(spki).digest('base64url');
}

/** `AA:BB:…` as the platform's tools print a fingerprint, or plain hex. */
export const base64OfHex = (hex: string): string =>
  Buffer.from(hex.replaceAll(':', ''), 'hex').toString('base64');

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
