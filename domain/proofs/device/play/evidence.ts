import { z } from 'zod';
import { bytes, common, list } from '../../file-members.ts';
import { isEncrypted } from './play-token.ts';

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
export type PlayFile = z.output<typeof playFields>;

/** Whether the file has the keys for its token. A decrypted, signed token needs no secret key. */
function hasKeys({ policy, input: { token } }: PlayFile): boolean {
  if (token === undefined) return true;
  if (isEncrypted(token) && !policy.decryption_key) return false;
  return policy.verification_key !== undefined;
}

/** A token of Google Play, or its content. */
export const playIntegrityFile = playFields.refine(hasKeys, {
  message: 'decryption_key or verification_key: missing',
});
