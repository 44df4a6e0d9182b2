import { createHash } from 'node:crypto';
import { z } from 'zod';
import { condition, type Condition } from '../../../db/queries/filtered-list.ts';
import { referenceDigest } from '../../../db/sealing/link-texts.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import { linkTypes } from '../../../domain/names.ts';
import { instant, metadata } from './fields.ts';

/** The filters and order of lists of links and trust checks, besides their states. */
export const filterQuery = {
  link_type: z.enum(linkTypes).optional().describe('Returns only this type of link'),
  reference_id: z
    .string()
    .max(128)
    .optional()
    .describe('Returns only objects with this `reference_id`'),
  created_after: instant.optional().describe('Returns only objects created after this instant'),
  created_before: instant.optional().describe('Returns only objects created before this instant'),
  metadata: metadata
    .optional()
    .meta({ param: { style: 'deepObject', explode: true } })
    .describe(
      'Returns only links with these metadata values, and checks of such links: ' +
        '`metadata[order]=17`',
    ),
  sort: z
    .enum(['created_at', '-created_at'])
    .default('-created_at')
    .describe('Sort order by time of creation; `-` returns the newest first'),
};

type CommonFilter = Pick<
  z.output<z.ZodObject<typeof filterQuery>>,
  'reference_id' | 'created_after' | 'created_before'
>;

/** Returns the conditions of the filters that links and trust checks share. */
export function commonConditions(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  filter: CommonFilter,
): Condition[] {
  const { reference_id, created_after, created_before } = filter;
  return [
    ...(reference_id === undefined
      ? []
      : [condition('reference_blind = $?', referenceDigest(sealer, accountId, reference_id))]),
    ...(created_after ? [condition('created_at > $?', created_after)] : []),
    ...(created_before ? [condition('created_at < $?', created_before)] : []),
  ];
}

export const orderOf = (sort: '-created_at' | 'created_at'): 'ASC' | 'DESC' =>
  sort === 'created_at' ? 'ASC' : 'DESC';

/** Returns a short digest of a list's filters, which its cursors contain. */
export const filterDigest = (filter: unknown): string =>
  createHash('sha256').update(JSON.stringify(filter)).digest('base64url').slice(0, 16);
