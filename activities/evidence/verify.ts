import { verifyAndroidKeyAttestation } from '../attestation/verify-android-key-attestation.ts';
import { verifyEmrtd } from '../passport/verify-emrtd.ts';
import { verifyMrz } from '../passport/verify-mrz.ts';
import type { EvidenceFile } from './file.ts';
import type { Verdict } from './verdict.ts';

/** Judges an evidence file by the very functions a live check uses, at the instant it names. */
export function verifyEvidence(file: EvidenceFile): Verdict {
  if (file.kind === 'mrz') return verifyMrz(file.input, file.at);
  if (file.kind === 'android-key-attestation') return verifyAndroid(file);
  const { policy, input } = file;
  return verifyEmrtd(
    {
      ...(policy.master_list ? { masterList: policy.master_list } : {}),
      ...(policy.master_list_root ? { masterListRoot: policy.master_list_root } : {}),
      ...(policy.csca ? { csca: policy.csca } : {}),
      ...(policy.crl ? { crl: policy.crl } : {}),
      ...(policy.require ? { require: policy.require } : {}),
      ...(policy.age_over === undefined ? {} : { ageOver: policy.age_over }),
    },
    {
      sod: input.sod,
      dataGroups: input.data_groups,
      ...(input.active_auth ? { activeAuth: input.active_auth } : {}),
    },
    file.at,
  );
}

function verifyAndroid(file: Extract<EvidenceFile, { kind: 'android-key-attestation' }>): Verdict {
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
