import type { z } from 'zod';
import { metadataDigests, type Metadata } from '../../../activities/links/sealed-values.ts';
import { condition, type Condition } from '../../../db/queries/filtered-list.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import type { LinkState } from '../../../domain/names.ts';
import { commonConditions } from '../../http/fields/list-filters.ts';
import type { linkListQuery } from './list-contracts.ts';

const unended = '(expires_at IS NULL OR expires_at > $?)';
const started = '(not_before IS NULL OR not_before <= $?)';

/**
 * Returns the condition for the rows that `stateOf` presents in a state, which depends on dates.
 */
function stateCondition(state: LinkState, now: Date): Condition {
  switch (state) {
    case 'active':
      return condition(`status IN ('active', 'scheduled') AND ${started} AND ${unended}`, now, now);
    case 'scheduled':
      return condition(
        `status IN ('active', 'scheduled') AND not_before > $? AND ${unended}`,
        now,
        now,
      );
    case 'paused':
      return condition(`status = 'paused' AND ${unended}`, now);
    case 'expired':
      return condition(
        `status = 'expired' OR (status IN ('scheduled', 'active', 'paused') AND expires_at <= $?)`,
        now,
      );
    default:
      return condition('status = $?', state);
  }
}

/** Returns the condition for links with these entries in their metadata. */
export function metadataCondition(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  metadata: Metadata,
): Condition {
  return condition('metadata_digests @> $?', metadataDigests(sealer, accountId, metadata));
}

/** Returns the conditions of a list's filters; none for the whole list. */
export function linkConditions(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  filter: z.output<typeof linkListQuery>,
  now: Date,
): Condition[] {
  const { status, link_type, metadata } = filter;
  return [
    ...(status === undefined ? [] : [stateCondition(status, now)]),
    ...(link_type === undefined ? [] : [condition('link_type = $?', link_type)]),
    ...(metadata ? [metadataCondition(sealer, accountId, metadata)] : []),
    ...commonConditions(sealer, accountId, filter),
  ];
}
