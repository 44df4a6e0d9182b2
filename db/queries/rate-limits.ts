import { statement, type Queryable } from '../client.ts';

const counted = statement<{ key: string; points: number; expire: number | null }>(
  'rate_limits.counted',
  'SELECT key, points, expire FROM rate_limits WHERE key = ANY ($1)',
);

export interface Counted {
  readonly points: number;
  /** When the count begins anew. */
  readonly resetsAt: Date;
}

/** What was counted under these keys, of windows that are still open. */
export async function listCounted(
  on: Queryable,
  keys: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, Counted>> {
  const rows = await counted(on, [keys]);
  return new Map(
    rows.flatMap(({ key, points, expire }) =>
      expire === null || expire <= now.getTime()
        ? []
        : [[key, { points, resetsAt: new Date(expire) }] as const],
    ),
  );
}
