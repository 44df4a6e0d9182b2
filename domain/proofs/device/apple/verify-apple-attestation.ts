import {
  dateFaultOf,
  isSame,
  issueFaultOf,
  readPem,
  spkiOf,
  unknownCriticalOf,
  type Certificate,
} from '../../../pki/x509/certificate.ts';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../../verdict.ts';
import {
  appIdOf,
  clientDataHashOf,
  judgeBundleVersion,
  judgeCategory,
  type AppleApp,
  type AppleEnvironment,
  type CategoryPolicy,
  type ClientData,
} from './apple-app.ts';
import {
  leafPointOf,
  nonceOf,
  osVersionOf,
  readAttestation,
  type Attestation,
} from './apple-attestation.ts';
import { appAttestationRootPem } from './apple-roots.ts';
import { isEqual, isOfApp, pointOf, sha256 } from './authenticator-data.ts';
import { isSigned, receiptChainFaultOf, receiptFacts, type Receipt } from './receipt.ts';
import { receiptAnchors, receiptOrNull } from './verify-apple-receipt.ts';

export interface AppleAttestationPolicy extends AppleApp, CategoryPolicy {
  readonly environment: AppleEnvironment;
  /**
   * Roots trusted instead of Apple's, and in addition to Apple's for receipts, PEM; for
   * development.
   */
  readonly rootPem?: string | undefined;
}

export interface AppleAttestationInput extends ClientData {
  readonly attestation: Uint8Array;
  /** SHA-256 of the key, as the app knows it. */
  readonly keyId: Uint8Array;
}

interface Findings extends Attestation {
  readonly policy: AppleAttestationPolicy;
  readonly input: AppleAttestationInput;
  readonly at: Date;
  readonly opened: Receipt | null;
  /** The root of the chain; null until it is found. */
  anchor: Certificate | null;
}

/** The complete aaguid: the development one also begins with `appattest`. */
const aaguids: Readonly<Record<AppleEnvironment, Buffer>> = {
  production: Buffer.from('appattest\0\0\0\0\0\0\0'),
  development: Buffer.from('appattestdevelop'),
};

/** Apple's names of the environments in a receipt. */
const receiptEnvironments: Readonly<Record<AppleEnvironment, string>> = {
  production: 'production',
  development: 'sandbox',
};

const appleRoots = readPem(appAttestationRootPem);

/**
 * Judges an App Attest attestation (Apple, "Validating apps that connect to your server",
 * attestation steps 1 to 9, and the included receipt). Never throws. The caller checks that the
 * challenge is its own and unused, the key id is new, and the receipt is fresh.
 */
export function verifyAppleAttestation(
  policy: AppleAttestationPolicy,
  input: AppleAttestationInput,
  at: Date,
): Verdict {
  const attestation = readAttestation(input.attestation);
  const opened = attestation.receipt && receiptOrNull(attestation.receipt);
  const findings = { ...attestation, policy, input, at, opened, anchor: null };
  const applicable = rules.filter(({ name }) => name !== 'bundle_version' || policy.bundleVersions);
  return judge('apple-attestation', applicable, findings, present);
}

const unread: RuleAnswer = { skipped: 'not parsed' };

const rules: readonly Rule<Findings>[] = [
  { name: 'parse', judge: judgeParse },
  { name: 'chain', judge: judgeChain },
  { name: 'dates', judge: judgeDates },
  { name: 'nonce', judge: judgeNonce },
  { name: 'key_id', judge: judgeKeyId },
  { name: 'app_id', judge: judgeAppId },
  { name: 'counter', judge: judgeCounter },
  { name: 'environment', judge: judgeEnvironment },
  { name: 'credential_id', judge: judgeCredentialId },
  { name: 'public_key', judge: judgePublicKey },
  { name: 'category', judge: judgeCategoryOf },
  { name: 'bundle_version', judge: judgeBundleVersionOf },
  { name: 'receipt', judge: judgeReceipt },
];

function judgeParse({ faults, input }: Findings): RuleAnswer {
  if (faults.length > 0) return { fault: 'malformed', detail: [...new Set(faults)].join(', ') };
  return clientDataHashOf(input) ? { ok: true } : { fault: 'malformed', detail: 'client data' };
}

/** Step 1: leaf, intermediate, App Attestation Root CA. */
function judgeChain(findings: Findings): RuleAnswer {
  const { leaf, intermediate, policy } = findings;
  if (!leaf || !intermediate) return unread;
  const anchors = anchorsOf(policy);
  const fault = chainFaultOf(leaf, intermediate);
  if (fault) return { fault: 'chain_untrusted', detail: fault };
  findings.anchor = anchors.find((anchor) => issueFaultOf(intermediate, anchor) === null) ?? null;
  return findings.anchor ? { ok: true } : { fault: 'chain_untrusted', detail: 'no trusted root' };
}

/** Checks that the certificates are valid at the time of the attestation. */
function judgeDates({ leaf, intermediate, at }: Findings): RuleAnswer {
  if (!leaf || !intermediate) return unread;
  const fault = dateFaultOf(leaf, at) ?? dateFaultOf(intermediate, at);
  return fault ? { fault: 'cert_expired', detail: fault } : { ok: true };
}

/** Steps 2 to 4: the leaf contains the SHA-256 of authData and the client data's hash. */
function judgeNonce({ leaf, authData, input }: Findings): RuleAnswer {
  const clientDataHash = clientDataHashOf(input);
  if (!leaf || !authData || !clientDataHash) return unread;
  return isEqual(nonceOf(leaf), sha256(authData, clientDataHash))
    ? { ok: true }
    : { fault: 'nonce_mismatch' };
}

/** Step 5: the key id is the hash of the leaf's public key. */
function judgeKeyId({ leaf, input }: Findings): RuleAnswer {
  if (!leaf) return unread;
  const point = leafPointOf(leaf);
  return point && isEqual(sha256(point), input.keyId) ? { ok: true } : { fault: 'key_id_mismatch' };
}

/** Step 6. */
function judgeAppId({ data, policy }: Findings): RuleAnswer {
  if (!data) return unread;
  return isOfApp(data, appIdOf(policy)) ? { ok: true } : { fault: 'app_id_mismatch' };
}

/** Step 7. */
function judgeCounter({ data }: Findings): RuleAnswer {
  if (!data) return unread;
  return data.counter === 0
    ? { ok: true }
    : { fault: 'counter_nonzero', detail: String(data.counter) };
}

/** Step 8. */
function judgeEnvironment({ data, policy }: Findings): RuleAnswer {
  if (!data) return unread;
  return isEqual(data.aaguid, aaguids[policy.environment])
    ? { ok: true }
    : { fault: 'environment_mismatch', detail: environmentOf(data.aaguid) ?? 'unknown' };
}

/** Step 9. */
function judgeCredentialId({ data, input }: Findings): RuleAnswer {
  if (!data) return unread;
  return data.credentialId.length === 32 && isEqual(data.credentialId, input.keyId)
    ? { ok: true }
    : { fault: 'credential_id_mismatch' };
}

/** Checks that the key in authData is the leaf's. */
function judgePublicKey({ data, leaf }: Findings): RuleAnswer {
  if (!data || !leaf) return unread;
  const point = leafPointOf(leaf);
  return point && isEqual(point, pointOf(data.publicKey))
    ? { ok: true }
    : { fault: 'public_key_mismatch' };
}

function judgeCategoryOf({ data, policy }: Findings): RuleAnswer {
  return data ? judgeCategory(data.extensions, policy) : unread;
}

function judgeBundleVersionOf({ data, policy }: Findings): RuleAnswer {
  return data ? judgeBundleVersion(data.extensions, policy) : unread;
}

/** Checks Apple's statement about the same key, app, client data and environment. */
function judgeReceipt({ receipt, opened, leaf, input, policy }: Findings): RuleAnswer {
  if (!receipt || !leaf) return unread;
  if (!opened) return { fault: 'receipt_invalid', detail: 'malformed' };
  const hash = clientDataHashOf(input);
  const stated = opened.clientDataHash;
  const faults: readonly (string | false | null)[] = [
    !isSigned(opened) && 'signature',
    receiptChainFaultOf(opened, receiptAnchors(policy.rootPem)),
    opened.type !== 'ATTEST' && 'type',
    opened.appId !== appIdOf(policy) && 'app id',
    !isEqual(opened.attested, leaf.der) && 'another key',
    !(hash && stated && isEqual(hash, stated)) && 'client data',
    opened.environment !== receiptEnvironments[policy.environment] && 'environment',
  ];
  const detail = faults.find((fault) => typeof fault === 'string');
  return detail ? { fault: 'receipt_invalid', detail } : { ok: true };
}

function chainFaultOf(leaf: Certificate, intermediate: Certificate): string | null {
  if (leaf.x509().ca) return 'the leaf is an authority';
  if (!leafPointOf(leaf)) return 'the leaf key is not on P-256';
  const unknown = unknownCriticalOf(leaf) ?? unknownCriticalOf(intermediate);
  if (unknown) return `critical extension ${unknown}`;
  return issueFaultOf(leaf, intermediate);
}

const anchorsOf = ({ rootPem }: AppleAttestationPolicy): readonly Certificate[] =>
  rootPem === undefined ? appleRoots : readPem(rootPem);

function environmentOf(aaguid: Uint8Array): AppleEnvironment | null {
  if (isEqual(aaguid, aaguids.production)) return 'production';
  return isEqual(aaguid, aaguids.development) ? 'development' : null;
}

/** Whether a root comes from the policy instead of Apple. */
const isDevelopment = (anchor: Certificate): boolean =>
  !appleRoots.some((root) => isSame(root, anchor));

function present({ leaf, data, opened, anchor }: Findings): Record<string, unknown> {
  const osVersion = leaf && osVersionOf(leaf);
  const category = data?.extensions.category;
  return {
    ...(leaf && leafPointOf(leaf) ? { public_key_spki: spkiOf(leaf).toString('base64') } : {}),
    ...(data ? { environment: environmentOf(data.aaguid) } : {}),
    ...(osVersion ? { os_version: osVersion } : {}),
    ...(category === undefined ? {} : { category }),
    ...(opened ? { receipt: receiptFacts(opened) } : {}),
    ...(anchor && isDevelopment(anchor) ? { development_root: true } : {}),
  };
}
