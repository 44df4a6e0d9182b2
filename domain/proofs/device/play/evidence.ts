import { z } from 'zod';
import { bytes, common, list } from '../../file-members.ts';
import type { Verdict } from '../../verdict.ts';
import { isEncrypted, openPlayToken } from './play-token.ts';
import { verifyPlayIntegrity } from './verify-play-integrity.ts';

const playFields = z.object({
  ...common,
  kind: z.literal('play-integrity'),
  policy: z.object({
    package: z.string(),
    certificate_digests: list(bytes, 1000),
    version_min: z.int().min(0).optional(),
    verdicts: list(z.string(), 100).optional(),
    decryption_key: bytes.optional(),
    verification_key: bytes.optional(),
  }),
  input: z
    .object({
      token: z.string().optional(),
      payload: z.unknown().optional(),
      request_hash: z.string().optional(),
      nonce: z.string().optional(),
    })
    .refine((input) => (input.token === undefined) !== (input.payload === undefined), {
      message: 'neither token nor payload, or both',
    })
    .refine((input) => (input.request_hash === undefined) !== (input.nonce === undefined), {
      message: 'neither request_hash nor nonce, or both',
    }),
});
type PlayFile = z.output<typeof playFields>;

/** The keys a token takes: a signed one, out of its encryption, is judged without the secret. */
function hasKeys({ policy, input: { token } }: PlayFile): boolean {
  if (token === undefined) return true;
  if (isEncrypted(token) && !policy.decryption_key) return false;
  return policy.verification_key !== undefined;
}

/** A token of Google Play, or what it said. */
export const playIntegrityFile = playFields.refine(hasKeys, {
  message: 'decryption_key or verification_key: missing',
});

/** Judges an evidence file of kind `play-integrity`, whose token it opens first. */
export async function verifyPlayFile({ policy, input, at }: PlayFile): Promise<Verdict> {
  const { token, payload, request_hash: requestHash, nonce = '' } = input;
  const keys = { decryptionKey: policy.decryption_key, verificationKey: policy.verification_key };
  const opened = token === undefined ? { payload } : await openPlayToken(token, keys);
  return verifyPlayIntegrity(
    {
      package: policy.package,
      certificateDigests: policy.certificate_digests,
      versionMin: policy.version_min,
      verdicts: policy.verdicts,
    },
    opened,
    requestHash === undefined ? { nonce } : { requestHash },
    at,
  );
}
