import type { Verdict } from '../../verdict.ts';
import type { AndroidAssertionFile, AndroidAttestationFile } from './evidence.ts';
import { verifyAndroidAssertion } from './verify-android-assertion.ts';
import { verifyAndroidKeyAttestation } from './verify-android-key-attestation.ts';

/** Judges an evidence file of kind `android-key-attestation`. */
export function verifyAndroidAttestationFile(file: AndroidAttestationFile): Verdict {
  const { policy = {}, input, at } = file;
  return verifyAndroidKeyAttestation(
    {
      securityLevelMin: policy.security_level_min,
      requireLocked: policy.require_locked,
      packages: policy.packages,
      signatureDigests: policy.signature_digests,
      patchLevelMin: policy.patch_level_min,
      revocation: policy.revocation,
      rootPems: policy.root_pems,
    },
    input,
    at,
  );
}

/** Judges an evidence file of kind `android-assertion`. */
export function verifyAndroidAssertionFile({ input }: AndroidAssertionFile): Verdict {
  const { signature, public_key_spki: publicKeySpki, client_data: clientData } = input;
  return verifyAndroidAssertion({ signature, publicKeySpki, clientData });
}
