import type { Verdict } from '../../verdict.ts';
import type { AppleApp, CategoryPolicy, ClientData } from './apple-app.ts';
import type { AssertionFile, AttestationFile, ReceiptFile } from './evidence.ts';
import { verifyAppleAssertion } from './verify-apple-assertion.ts';
import { verifyAppleAttestation } from './verify-apple-attestation.ts';
import { verifyAppleReceipt } from './verify-apple-receipt.ts';

/** Judges an evidence file of kind `apple-attestation`. */
export function verifyAppleAttestationFile({ policy, input, at }: AttestationFile): Verdict {
  return verifyAppleAttestation(
    {
      ...appOf(policy),
      ...categoryPolicyOf(policy),
      environment: policy.environment,
      rootPem: policy.root_pem,
    },
    { attestation: input.attestation, keyId: input.key_id, ...clientDataOf(input) },
    at,
  );
}

/** Judges an evidence file of kind `apple-assertion`. */
export function verifyAppleAssertionFile({ policy, input, at }: AssertionFile): Verdict {
  return verifyAppleAssertion(
    { ...appOf(policy), ...categoryPolicyOf(policy), counterLast: policy.counter_last },
    {
      assertion: input.assertion,
      publicKeySpki: input.public_key_spki,
      ...clientDataOf(input),
    },
    at,
  );
}

/** Judges an evidence file of kind `apple-receipt`. */
export function verifyAppleReceiptFile({ policy, input, at }: ReceiptFile): Verdict {
  return verifyAppleReceipt(
    {
      ...appOf(policy),
      publicKeySpki: policy.public_key_spki,
      rootPem: policy.root_pem,
      riskMetricMax: policy.risk_metric_max,
    },
    input,
    at,
  );
}

const appOf = (policy: ReceiptFile['policy']): AppleApp => ({
  teamId: policy.team_id,
  bundleId: policy.bundle_id,
});

const categoryPolicyOf = (policy: (AssertionFile | AttestationFile)['policy']): CategoryPolicy => ({
  environment: policy.environment,
  categories: policy.categories,
  requireCategory: policy.require_category,
  bundleVersions: policy.bundle_versions,
});

const clientDataOf = (input: (AssertionFile | AttestationFile)['input']): ClientData => ({
  clientData: input.client_data,
  clientDataHash: input.client_data_hash,
});
