import { verifyEmrtd } from '../passport/verify-emrtd.ts';
import { verifyMrz } from '../passport/verify-mrz.ts';
import type { EvidenceFile } from './file.ts';
import type { Verdict } from './verdict.ts';

/** Judges an evidence file by the very functions a live check uses, at the instant it names. */
export function verifyEvidence(file: EvidenceFile): Verdict {
  if (file.kind === 'mrz') return verifyMrz(file.input, file.at);
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
