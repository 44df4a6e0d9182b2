import type { Verdict } from '../verdict.ts';
import type { EmrtdFile } from './evidence.ts';
import { verifyEmrtd, type ChipAnswer } from './verify-emrtd.ts';

/** Judges an evidence file of kind `emrtd`. */
export function verifyEmrtdFile({ policy, input, at }: EmrtdFile): Verdict {
  return verifyEmrtd(
    {
      ...(policy.master_list ? { masterList: policy.master_list } : {}),
      ...(policy.master_list_root ? { masterListRoot: policy.master_list_root } : {}),
      ...(policy.csca ? { csca: policy.csca } : {}),
      cscaLinks: policy.csca_links,
      ...(policy.csca_development ? { cscaDevelopment: policy.csca_development } : {}),
      ...(policy.crl ? { crl: policy.crl } : {}),
      ...(policy.require ? { require: policy.require } : {}),
      legacyAlgorithms: policy.legacy_algorithms,
      ...(policy.age_over === undefined ? {} : { ageOver: policy.age_over }),
    },
    {
      sod: input.sod,
      dataGroups: input.data_groups,
      ...(input.active_auth ? { activeAuth: input.active_auth } : {}),
      ...(input.chip_auth ? { chipAuth: chipAnswerOf(input.chip_auth) } : {}),
    },
    at,
  );
}

const chipAnswerOf = ({
  private_key: privateKey,
  responses,
}: NonNullable<EmrtdFile['input']['chip_auth']>): ChipAnswer => ({ privateKey, responses });
