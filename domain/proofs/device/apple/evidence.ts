import { z } from 'zod';
import { bytes, common, list, pem } from '../../file-members.ts';

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

export type AttestationFile = z.output<typeof appleAttestationFile>;
export type AssertionFile = z.output<typeof appleAssertionFile>;
export type ReceiptFile = z.output<typeof appleReceiptFile>;
