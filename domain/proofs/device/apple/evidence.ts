import { z } from 'zod';
import { bytes, common, list, pem } from '../../file-members.ts';
import type { Verdict } from '../../verdict.ts';
import type { AppleApp, CategoryPolicy, ClientData } from './apple-app.ts';
import { verifyAppleAssertion } from './verify-apple-assertion.ts';
import { verifyAppleAttestation } from './verify-apple-attestation.ts';
import { verifyAppleReceipt } from './verify-apple-receipt.ts';

const appleApp = { team_id: z.string(), bundle_id: z.string() };
const categoryPolicy = {
  categories: list(z.int().min(0), 1000).optional(),
  require_category: z.boolean().optional(),
  bundle_versions: list(z.string(), 1000).optional(),
};
const clientData = { client_data: bytes.optional(), client_data_hash: bytes.optional() };
const hasClientData = (input: { client_data?: unknown; client_data_hash?: unknown }): boolean =>
  input.client_data !== undefined || input.client_data_hash !== undefined;
const clientDataMissing = 'neither client_data nor client_data_hash';

export const appleAttestationFile = z.object({
  ...common,
  kind: z.literal('apple-attestation'),
  policy: z.object({
    ...appleApp,
    ...categoryPolicy,
    environment: z.enum(['production', 'development']),
    root_pem: pem.optional(),
  }),
  input: z
    .object({ attestation: bytes, key_id: bytes, ...clientData })
    .refine(hasClientData, clientDataMissing),
});

export const appleAssertionFile = z.object({
  ...common,
  kind: z.literal('apple-assertion'),
  policy: z.object({
    ...appleApp,
    ...categoryPolicy,
    environment: z.enum(['production', 'development']).optional(),
    counter_last: z.int().min(0),
  }),
  input: z
    .object({ assertion: bytes, public_key_spki: bytes, ...clientData })
    .refine(hasClientData, clientDataMissing),
});

export const appleReceiptFile = z.object({
  ...common,
  kind: z.literal('apple-receipt'),
  policy: z.object({
    ...appleApp,
    public_key_spki: bytes.optional(),
    risk_metric_max: z.int().min(0).optional(),
    root_pem: pem.optional(),
  }),
  input: z.object({ receipt: bytes }),
});

type AttestationFile = z.output<typeof appleAttestationFile>;
type AssertionFile = z.output<typeof appleAssertionFile>;
type ReceiptFile = z.output<typeof appleReceiptFile>;

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
