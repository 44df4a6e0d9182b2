import type { Verdict } from '../../verdict.ts';
import type { PlayFile } from './evidence.ts';
import { openPlayToken } from './play-token.ts';
import { verifyPlayIntegrity } from './verify-play-integrity.ts';

/** Opens the token of an evidence file of kind `play-integrity` and judges it. */
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
