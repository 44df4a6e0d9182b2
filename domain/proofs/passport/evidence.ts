import { z } from 'zod';
import { bytes, common, list, table } from '../file-members.ts';
import type { Verdict } from '../verdict.ts';
import { verifyEmrtd, type ChipAnswer } from './verify-emrtd.ts';

/** The files of a chip and its answers. */
export const emrtdFile = z.object({
  ...common,
  kind: z.literal('emrtd'),
  policy: z
    .object({
      master_list: bytes.optional(),
      master_list_root: bytes.optional(),
      csca: list(bytes, 10_000).optional(),
      csca_links: list(bytes, 100).optional(),
      csca_development: list(bytes, 100).optional(),
      crl: list(bytes, 1000).optional(),
      require: list(z.enum(['active', 'chip', 'crl']), 10).optional(),
      legacy_algorithms: z.enum(['flag', 'refuse']).optional(),
      age_over: z.int().min(0).max(150).optional(),
    })
    .refine(({ csca, master_list, master_list_root }) => {
      return csca !== undefined || (master_list !== undefined && master_list_root !== undefined);
    }, 'neither csca nor master_list with master_list_root'),
  input: z.object({
    sod: bytes,
    data_groups: table(z.string().regex(/^DG([1-9]|1[0-6])$/), bytes, 16),
    active_auth: z.object({ nonce: bytes, signature: bytes }).optional(),
    chip_auth: z.object({ private_key: bytes, responses: list(bytes, 10) }).optional(),
  }),
});
type EmrtdFile = z.output<typeof emrtdFile>;

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
