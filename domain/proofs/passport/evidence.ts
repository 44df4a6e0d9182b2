import { z } from 'zod';
import { bytes, common, list, table } from '../file-members.ts';

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
export type EmrtdFile = z.output<typeof emrtdFile>;
