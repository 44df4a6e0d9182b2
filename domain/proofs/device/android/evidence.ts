import { z } from 'zod';
import { bytes, common, list, pem, table } from '../../file-members.ts';
import { readStatusList } from './status-list.ts';

/** Google's list of revoked keys, as published. */
const statusList = z
  .object({ entries: table(z.string(), z.unknown(), 40_000) })
  .transform((json, context) => {
    try {
      return readStatusList(json);
    } catch {
      context.addIssue({ code: 'custom', message: 'not a status list as it is published' });
      return z.NEVER;
    }
  });

export const androidAttestationFile = z.object({
  ...common,
  kind: z.literal('android-key-attestation'),
  policy: z
    .object({
      security_level_min: z.enum(['SOFTWARE', 'TRUSTED_ENVIRONMENT', 'STRONG_BOX']).optional(),
      require_locked: z.boolean().optional(),
      packages: list(z.string(), 1000).optional(),
      signature_digests: list(bytes, 1000).optional(),
      patch_level_min: z.int().min(200_001).optional(),
      revocation: statusList.optional(),
      root_pems: list(pem, 20).optional(),
    })
    .optional(),
  input: z.object({ chain: list(bytes, 1000), challenge: bytes }),
});

/** The signature of a phone over one request, by its attested key. */
export const androidAssertionFile = z.object({
  ...common,
  kind: z.literal('android-assertion'),
  input: z.object({ signature: bytes, public_key_spki: bytes, client_data: bytes }),
});

export type AndroidAttestationFile = z.output<typeof androidAttestationFile>;
export type AndroidAssertionFile = z.output<typeof androidAssertionFile>;
