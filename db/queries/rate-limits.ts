import { type Queryable } from '../client.ts';
import { build, prepare, typed } from '../prepare.ts';
import { sql } from '../schema/drizzle.ts';
import { rateLimits } from '../schema/sessions.ts';

const { expire, key, points } = rateLimits;

const counted = prepare('rate_limits.counted', { keys: typed<readonly string[]>() }, ({ by }) =>
  build
    .select({ key, points, expire })
    .from(rateLimits)
    .where(sql`${key} = ANY (${by.keys})`),
);

export interface Counted {
  readonly points: number;
  /** When the count restarts. */
  readonly resetsAt: Date;
}

/** Returns the counts of these keys in windows that are still open. */
export async function listCounted(
  on: Queryable,
  keys: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, Counted>> {
  const rows = await counted(on, { keys });
  return new Map(
    rows.flatMap(({ key, points, expire }) =>
      expire === null || expire <= now.getTime()
        ? []
        : [[key, { points, resetsAt: new Date(expire) }] as const],
    ),
  );
}
