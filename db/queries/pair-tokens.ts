import { firstOf, statement, type Queryable, type Tx } from '../client.ts';

/** The valid pair token of a session. */
export interface PairTokenRow {
  readonly pair_generation: number;
  readonly pair_expires_at: Date;
}

const current = statement<PairTokenRow>(
  'pair_tokens.current',
  `SELECT pair_generation, pair_expires_at FROM trust_checks
   WHERE link_session_id = :id AND pair_spent_generation < pair_generation
     AND pair_expires_at > :until`,
);
const renew = statement<PairTokenRow>(
  'pair_tokens.renew',
  `UPDATE trust_checks SET pair_generation = pair_generation + 1, pair_expires_at = :expiresAt
   WHERE link_session_id = :id AND (pair_spent_generation = pair_generation
     OR pair_expires_at IS NULL OR pair_expires_at <= :until)
   RETURNING pair_generation, pair_expires_at`,
);
const spend = statement<{ pair_generation: number }>(
  'pair_tokens.spend',
  `UPDATE trust_checks SET pair_spent_generation = :generation, pair_spent_by = :by
   WHERE link_session_id = :id AND (
     (pair_generation = :generation AND pair_spent_generation < :generation
       AND pair_expires_at > :now)
     OR (pair_spent_generation = :generation AND pair_spent_by = :by))
   RETURNING pair_generation`,
);

const countSend = statement(
  'pair_tokens.count_send',
  `UPDATE trust_checks SET hand_over_sends = hand_over_sends + 1, hand_over_send_id = :sendId
   WHERE link_session_id = :id`,
);

/**
 * Counts a message with the pair token of a session. The transaction has locked the session's row.
 */
export async function countHandOverSend(tx: Tx, id: string, sendId: string): Promise<void> {
  await countSend(tx, { id, sendId });
}

/**
 * Returns the pair token of a session if it is valid beyond `until`, else makes the next one.
 * Concurrent callers get the same token.
 */
export async function takePairToken(
  on: Queryable,
  id: string,
  { until, expiresAt }: { readonly until: Date; readonly expiresAt: Date },
): Promise<PairTokenRow | null> {
  const find = async () => firstOf(await current(on, { id, until }));
  return (await find()) ?? firstOf(await renew(on, { id, until, expiresAt })) ?? (await find());
}

/**
 * Consumes a pair token. Returns false if it is used, expired or replaced.
 * @param by id of the request, which may be repeated
 */
export async function spendPairToken(
  on: Queryable,
  {
    id,
    generation,
    by,
    now,
  }: {
    readonly id: string;
    readonly generation: number;
    readonly by: string;
    readonly now: Date;
  },
): Promise<boolean> {
  return (await spend(on, { id, generation, by, now })).length > 0;
}
